"""Tabular models: trained by scikit-learn on the data that it ships, converted by coremltools, and compared row by row."""
import csv, json, os, subprocess, tempfile
import numpy as np
import coremltools as ct


def models():
    from sklearn import datasets, ensemble, linear_model, neighbors, pipeline, preprocessing, svm, tree
    return [
        ("forest", datasets.load_breast_cancer, ensemble.RandomForestClassifier(50, random_state=1)),
        ("boosted trees", datasets.load_diabetes, ensemble.GradientBoostingRegressor(random_state=1)),
        ("decision tree", datasets.load_wine, tree.DecisionTreeClassifier(random_state=1)),
        ("scaler, logistic", datasets.load_wine, pipeline.Pipeline([
            ("scale", preprocessing.StandardScaler()), ("model", linear_model.LogisticRegression(max_iter=2000))])),
        ("linear", datasets.load_diabetes, linear_model.LinearRegression()),
        ("support vectors", datasets.load_digits, svm.SVC(gamma="scale", random_state=1)),
        ("neighbours", datasets.load_iris, neighbors.KNeighborsClassifier(5)),
    ]


def check(hearth):
    """Prints a line for each model; returns how many are off."""
    problems = 0
    for name, load, model in models():
        data = load()
        # scikit-learn's trees compare features in float32: at a threshold between two values of a grid, that decides.
        data.data = data.data.astype(np.float32).astype(np.float64)
        columns = [f"f{i}" for i in range(data.data.shape[1])]
        model.fit(data.data[::2], data.target[::2])
        rows = data.data[1::2][:200]
        wanted = model.predict(rows)
        with tempfile.TemporaryDirectory() as folder:
            try:
                features = "x" if name == "neighbours" else columns
                package = ct.converters.sklearn.convert(model, features, "y")
                path = os.path.join(folder, "table.mlmodel")
                ct.models.utils.save_spec(package.get_spec(), path)
            except Exception as error:
                print(f"{name:18} coremltools does not convert it: {str(error)[:200]!r}", flush=True)
                continue
            table = os.path.join(folder, "rows.csv")
            with open(table, "w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows([[repr(float(v)) for v in row] for row in rows])
            if name == "neighbours":
                found = []
                for row in rows[:40]:
                    done = subprocess.run([hearth, "predict", "--model", path, "--row", json.dumps({"x": list(row)}), "--json"],
                                          capture_output=True, text=True)
                    found.append((done.returncode, done.stdout, done.stderr))
                lines, status, errors = [f[1] for f in found], max(f[0] for f in found), found[-1][2]
                wanted = wanted[:40]
            else:
                done = subprocess.run([hearth, "predict", "--model", path, "--csv", table, "--json"], capture_output=True, text=True)
                lines, status, errors = done.stdout.splitlines(), done.returncode, done.stderr
            if status:
                problems += 1
                print(f"{name:18} FAIL status {status}: {errors.strip()[:300]}", flush=True)
                continue
            outputs = [{o["name"]: o for o in json.loads(line)["outputs"]}["y"] for line in lines if line.strip()]
            values = np.array([float(o["label"] if o.get("label") is not None else o["value"]) for o in outputs])
            if hasattr(model, "classes_"):
                agrees = values == wanted
                if hasattr(model, "predict_proba"):
                    # Of classes with equally many votes either is right.
                    votes = np.sort(model.predict_proba(rows[:len(wanted)]), 1)
                    agrees |= votes[:, -1] - votes[:, -2] < 1e-9
                same = int(np.sum(agrees))
                isOff, text = same < len(wanted), f"{same} of {len(wanted)} classes"
            else:
                worst = np.abs(values - wanted).max() / np.abs(wanted).max()
                isOff, text = worst > 1e-5, f"error {worst:.1e}"
            problems += isOff
            print(f"{name:18} {'OFF ' if isOff else 'ok  '} {text}", flush=True)
    return problems
