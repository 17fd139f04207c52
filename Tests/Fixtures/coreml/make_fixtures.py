#!/usr/bin/env python3
"""Builds the Core ML fixtures in fixtures/ (own networks, own training, random or digits weights).

  pip install "torch>=2.2" coremltools "numpy<2.3" scikit-learn pillow      (gcc only for the exact k-means table)
  python3 make_fixtures.py digits ops bad        (any subset; about five minutes on two cores)

Images: the 1,797 8x8 handwritten digits that scikit-learn bundles (UCI "Optical Recognition of
Handwritten Digits", CC BY 4.0), enlarged and coloured here.  References come from mlpkg.py, which
reads the finished .mlpackage back, so they describe what is in the file, not what torch meant.
"""
import ctypes, json, os, shutil, subprocess, sys, tempfile, warnings
warnings.filterwarnings("ignore"); os.environ["TQDM_DISABLE"] = "1"
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import mlpkg
import logging; logging.disable(logging.WARNING)
import coremltools as ct
import coremltools.optimize.coreml as cto
from coremltools.converters.mil import Builder as mb
torch.set_num_threads(2)
T = {15: ct.target.iOS15, 16: ct.target.iOS16, 17: ct.target.iOS17, 18: ct.target.iOS18}
P = {"fp32": ct.precision.FLOAT32, "fp16": ct.precision.FLOAT16}

# ------------------------------------------------------------------ exact 1-D k-means (divide-and-conquer DP)
_C = r"""
#include <stdlib.h>
#include <math.h>
static long double *W,*S,*Q; static double *p,*c;
static inline double cost(long i,long j){long double w=W[j]-W[i],s=S[j]-S[i],q=Q[j]-Q[i],e=q-s*s/w;return e>0?(double)e:0;}
static void rec(long lo,long hi,long a,long b){while(lo<=hi){long m=(lo+hi)/2,e=b<m-1?b:m-1,bi=a;double best=INFINITY;
 for(long t=a;t<=e;t++){double v=p[t]+cost(t,m);if(v<best){best=v;bi=t;}} c[m]=best;rec(lo,m-1,a,bi);lo=m+1;a=bi;}}
double kopt(const double*x,const double*w,long n,int k){ if(k>=n)return 0; long double mu=0,tw=0;
 W=malloc((n+1)*sizeof*W);S=malloc((n+1)*sizeof*S);Q=malloc((n+1)*sizeof*Q);W[0]=S[0]=Q[0]=0;
 for(long i=0;i<n;i++){mu+=(long double)w[i]*x[i];tw+=w[i];} mu/=tw;
 for(long i=0;i<n;i++){long double d=x[i]-mu;W[i+1]=W[i]+w[i];S[i+1]=S[i]+w[i]*d;Q[i+1]=Q[i]+w[i]*d*d;}
 p=malloc((n+1)*sizeof(double));c=malloc((n+1)*sizeof(double));p[0]=INFINITY;for(long i=1;i<=n;i++)p[i]=cost(0,i);
 for(int q=2;q<=k;q++){for(long i=0;i<q;i++)c[i]=INFINITY;rec(q,n,q-1,n-1);double*t=p;p=c;c=t;}
 double r=p[n];free(W);free(S);free(Q);free(p);free(c);return r;}
"""
_lib = None
def kmeans_optimum(v, k):
    """Smallest possible sum of squared errors of v with k real-valued levels."""
    global _lib
    if _lib is None:
        d = tempfile.mkdtemp(); open(d + "/k.c", "w").write(_C)
        subprocess.check_call(["cc", "-O3", "-shared", "-fPIC", "-o", d + "/k.so", d + "/k.c", "-lm"])
        _lib = ctypes.CDLL(d + "/k.so"); _lib.kopt.restype = ctypes.c_double
        _lib.kopt.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_int]
    u, n = np.unique(np.asarray(v, np.float64).ravel(), return_counts=True); n = n.astype(np.float64)
    return float(_lib.kopt(u.ctypes.data, n.ctypes.data, len(u), k))

# ------------------------------------------------------------------ helpers
def size(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(path) for f in fs)

def save(m, path):
    shutil.rmtree(path, ignore_errors=True); m.save(path)
    b = mlpkg.check(path)
    if b: raise SystemExit("%s: %s" % (path, b))
    return mlpkg.Package(path)

def rand_bn(m, g):
    for q in m.modules():
        if isinstance(q, (nn.BatchNorm2d, nn.BatchNorm1d)):
            q.running_mean = torch.randn(q.num_features, generator=g) * .3; q.running_var = torch.rand(q.num_features, generator=g) + .5
            q.weight.data = torch.rand(q.num_features, generator=g) + .5; q.bias.data = torch.randn(q.num_features, generator=g) * .3
    return m.eval()

def convert_f16io(m, shape, tgt):
    """Half-precision arrays at both ends of the program."""
    with torch.no_grad(): tm = torch.jit.trace(m, torch.rand(shape))
    return ct.convert(tm, inputs=[ct.TensorType(name="x", shape=shape, dtype=np.float16)], outputs=[ct.TensorType(name="y", dtype=np.float16)], convert_to="mlprogram", minimum_deployment_target=T[tgt])

def convert(m, shape, prec, tgt, image=None, labels=None, out="y"):
    with torch.no_grad(): tm = torch.jit.trace(m, torch.rand(shape))
    inp = ct.ImageType(name="image", shape=shape, **image) if image else ct.TensorType(name="x", shape=shape)
    kw = {}
    if labels is not None: kw["classifier_config"] = ct.ClassifierConfig(labels)
    else: kw["outputs"] = [ct.TensorType(name=out, dtype=np.float32)]
    return ct.convert(tm, inputs=[inp], convert_to="mlprogram", minimum_deployment_target=T[tgt], compute_precision=P[prec], **kw)

def cba(i, o, k=3, s=1, g=1, d=1, p=None, act=nn.ReLU6, bias=False):
    p = (k - 1) // 2 * d if p is None else p
    l = [nn.Conv2d(i, o, k, s, p, d, g, bias=bias), nn.BatchNorm2d(o)]
    return nn.Sequential(*(l + ([act()] if act else [])))

class IR(nn.Module):                      # inverted residual, optional squeeze-excite
    def __init__(s, i, o, st, t, k=3, act=nn.ReLU6, se=None):
        super().__init__(); h = i * t
        l = [cba(i, h, 1, act=act)] if t != 1 else []
        l.append(cba(h, h, k, st, h, act=act))
        if se: l.append(SE(h, max(h // 4, 2), se))
        l.append(cba(h, o, 1, act=None)); s.m = nn.Sequential(*l); s.r = st == 1 and i == o
    def forward(s, x): return x + s.m(x) if s.r else s.m(x)

class SE(nn.Module):
    def __init__(s, c, r, kind):
        super().__init__(); s.a = nn.Conv2d(c, r, 1); s.b = nn.Conv2d(r, c, 1)
        s.i, s.o = (nn.ReLU(), nn.Hardsigmoid()) if kind == "hard" else (nn.SiLU(), nn.Sigmoid())
    def forward(s, x): return x * s.o(s.b(s.i(s.a(F.adaptive_avg_pool2d(x, 1)))))

class Head(nn.Module):
    def __init__(s, body, c, n):
        super().__init__(); s.b = body; s.l = nn.Linear(c, n); s.l.weight.data *= 4
    def forward(s, x): return s.l(s.b(x).mean((2, 3)))

# ------------------------------------------------------------------ digits
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
def split():
    """Fixed three-way split of the digits: 1000 train, 400 shared test, 397 kept apart."""
    from sklearn.datasets import load_digits
    d = load_digits(); p = np.random.RandomState(20240117).permutation(len(d.target))
    return d.images[p], d.target[p]

def paint(img, n, ink=(250, 205, 60), paper=(25, 40, 95)):
    """8x8 ink 0..16 -> n x n uint8 RGB (or gray when ink is None), fixed ink and paper colours."""
    from PIL import Image
    a = np.asarray(Image.fromarray((img * 15.9375).astype(np.uint8)).resize((n, n), Image.BICUBIC)).astype(np.float32) / 255
    if ink is None: return np.round(a * 255).astype(np.uint8)
    a = a[..., None]; return np.round(np.array(paper) * (1 - a) + np.array(ink) * a).astype(np.uint8)

def train(net, X, y, Xt, yt, scale, bias, epochs, seed, shift=3):
    """X float NCHW 0..255."""
    g = torch.Generator().manual_seed(seed)
    f = lambda b: b * scale + torch.tensor(bias).view(1, -1, 1, 1)
    opt = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=.02); B = 50; steps = epochs * (len(X) // B)
    sch = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, total_steps=steps)
    for e in range(epochs):
        net.train(); p = torch.randperm(len(X), generator=g)
        for i in range(0, len(X) - B + 1, B):
            b = X[p[i:i + B]]
            q = F.pad(b, [shift] * 4, mode="replicate"); h, w = b.shape[-2:]
            dy, dx = torch.randint(0, 2 * shift + 1, (2,), generator=g).tolist()
            b = q[..., dy:dy + h, dx:dx + w] * (1 + .1 * torch.randn((B, 1, 1, 1), generator=g)) + 6 * torch.randn(b.shape, generator=g)
            loss = F.cross_entropy(net(f(b)), y[p[i:i + B]], label_smoothing=.05)
            opt.zero_grad(); loss.backward(); opt.step(); sch.step()
    net.eval()
    with torch.no_grad(): acc = (net(f(Xt)).argmax(1) == yt).float().mean().item()
    return acc

class Probs(nn.Module):
    def __init__(s, n): super().__init__(); s.n = n
    def forward(s, x): return torch.softmax(s.n(x), 1)

def digits_net():
    return Head(nn.Sequential(cba(3, 16), IR(16, 24, 2, 3), IR(24, 24, 1, 3), IR(24, 40, 2, 3), IR(40, 40, 1, 3), IR(40, 64, 2, 3), cba(64, 128, 1)), 128, 10)

def pal(m, **k): return cto.palettize_weights(m, cto.OptimizationConfig(global_config=cto.OpPalettizerConfig(weight_threshold=200, **k)))
def lin(m, **k): return cto.linear_quantize_weights(m, cto.OptimizationConfig(global_config=cto.OpLinearQuantizerConfig(weight_threshold=200, **k)))

def reference(pkg, images, labels, nref, outdir, name, inp="image"):
    """Top-1 over all images, probabilities (wide and fp16 activations) for the first nref."""
    top, wide, half = [], [], []
    outs = pkg.block["outputs"]; pn = pkg.model["description"]["predictedProbabilitiesName"]; ln = pkg.model["description"]["predictedFeatureName"]
    for i, im in enumerate(images):
        r = mlpkg.run(pkg, {inp: im}); top.append(r[ln])
        if i < nref:
            wide.append(list(r[pn].values())); half.append(list(mlpkg.run(pkg, {inp: im}, "fp16")[pn].values()))
    wide, half = np.array(wide, "<f4"), np.array(half, "<f4"); wide.tofile(os.path.join(outdir, name + ".probs.f32"))
    return top, float(np.mean([a == b for a, b in zip(top, labels)])), float(abs(wide - half).max())

def kmeans_table(src, pkgs, bits=(1, 2, 3, 4, 6, 8), thr=200):
    """Per weight tensor: exact optimum for each bit width and what each palettized package reached."""
    W = {k: v for k, v in src.weights().items() if v.size > thr}
    got = {n: p.weights() for n, p in pkgs.items()}
    rows = []
    for k, v in W.items():
        r = {"tensor": k, "count": int(v.size), "sum_sq": float((v.astype(float) ** 2).sum()), "optimum": {str(b): kmeans_optimum(v, 1 << b) for b in bits}, "reached": {}}
        for n, g in got.items():
            m = g.get(k + "_palettized", g.get(k))
            if m is not None: r["reached"][n] = float(((v.astype(float) - m.astype(float)) ** 2).sum())
        rows.append(r)
    return rows

def digits(out):
    from PIL import Image
    img, lab = split(); N = 32
    os.makedirs(out + "/images", exist_ok=True); os.makedirs(out + "/ref", exist_ok=True)
    X = np.stack([paint(i, N) for i in img[:1400]])
    t = torch.tensor(X).float().permute(0, 3, 1, 2); y = torch.tensor(lab[:1400])
    scale, bias = 1 / 127.5, [-0.9, -1.0, -1.1]
    torch.manual_seed(7); net = digits_net()
    acc = train(net, t[:1000], y[:1000], t[1000:], y[1000:], scale, bias, 60, 7)
    print("digits: params", sum(p.numel() for p in net.parameters()), "torch test accuracy", acc); assert acc >= .97
    te, tl = X[1000:], lab[1000:1400]; te.tofile(out + "/images.u8")        # N, H, W, C bytes, for those who test without a PNG reader
    with open(out + "/labels.csv", "w") as f:
        f.write("file,label,class\n")
        for i, (a, l) in enumerate(zip(te, tl)):
            Image.fromarray(a).save("%s/images/%04d.png" % (out, i), optimize=True); f.write("%04d.png,%s,%d\n" % (i, WORDS[l], l))
    img_kw = dict(scale=scale, bias=bias, color_layout=ct.colorlayout.RGB)
    mk = lambda prec, tgt, labels=WORDS, **kw: convert(Probs(net), (1, 3, N, N), prec, tgt, dict(img_kw, **kw), labels)
    m16, m18 = mk("fp16", 16), mk("fp16", 18)
    V = {"fp32": mk("fp32", 16), "fp16": m16, "fp32_ios15": mk("fp32", 15), "fp16_ios17_intlabels": mk("fp16", 17, list(range(10)))}
    import copy
    bgr = copy.deepcopy(net); w = bgr.b[0][0].weight; w.data = w.data.flip(1)      # same function of the picture, planes fed blue first
    V["fp16_bgr"] = convert(Probs(bgr), (1, 3, N, N), "fp16", 16, dict(scale=scale, bias=bias[::-1], color_layout=ct.colorlayout.BGR), WORDS)
    for b in (1, 2, 4, 6, 8): V["pal%d" % b] = pal(m16, mode="kmeans", nbits=b)
    V["pal4_fp32"] = pal(V["fp32"], mode="kmeans", nbits=4)
    V["int8_sym"] = lin(m16, mode="linear_symmetric", dtype=np.int8); V["uint8_affine"] = lin(m16, mode="linear", dtype=np.uint8)
    V["sparse50"] = cto.prune_weights(m16, cto.OptimizationConfig(global_config=cto.OpMagnitudePrunerConfig(target_sparsity=.5, weight_threshold=200)))
    V["ios18_pal3"] = pal(m18, mode="kmeans", nbits=3); V["ios18_pal4_group8"] = pal(m18, mode="kmeans", nbits=4, granularity="per_grouped_channel", group_size=8)
    V["ios18_pal4_vec2"] = pal(m18, mode="kmeans", nbits=4, cluster_dim=2, granularity="per_grouped_channel", group_size=16)
    V["ios18_int8"] = lin(m18, mode="linear_symmetric", dtype=np.int8); V["ios18_int4_block8"] = lin(m18, mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=8)
    info = {"input": "image", "width": N, "height": N, "count": len(te), "reference_images": 32, "classes": WORDS, "torch_accuracy": acc, "variants": {}}
    pk = {}; planes = te.transpose(0, 3, 1, 2)[:, None].astype(np.float32)
    with torch.no_grad(): tp = Probs(net)(torch.tensor(planes[:, 0]) * scale + torch.tensor(bias).view(1, -1, 1, 1)).numpy()
    for n, m in V.items():
        p = pk[n] = save(m, "%s/%s.mlpackage" % (out, n)); labs = tl.tolist() if "intlabels" in n else [WORDS[l] for l in tl]
        top, a, d = reference(p, planes[:, :, ::-1] if "bgr" in n else planes, labs, 32, out + "/ref", n)
        e = float(abs(np.fromfile("%s/ref/%s.probs.f32" % (out, n), "<f4").reshape(32, 10) - tp[:32]).max())
        info["variants"][n] = {"package_bytes": size("%s/%s.mlpackage" % (out, n)), "weight_bytes": os.path.getsize("%s/%s.mlpackage/Data/com.apple.CoreML/weights/weight.bin" % (out, n)),
                               "top1": a, "wrong": [i for i, (u, v) in enumerate(zip(top, labs)) if u != v], "max_abs_vs_torch_fp32": e, "max_abs_fp16_activations": d, "tol": round(max(2e-4, 4 * d), 5) if "fp32" not in n else 2e-4}
        print(n, {k: v for k, v in info["variants"][n].items() if k != "wrong"}, flush=True)
    json.dump(info, open(out + "/digits.json", "w"), indent=1)
    json.dump({"source": "fp16", "rows": kmeans_table(pk["fp16"], {k: pk[k] for k in ("pal1", "pal2", "pal4", "pal6", "pal8")})}, open(out + "/kmeans.json", "w"), indent=1)
    # old format
    with torch.no_grad(): tm = torch.jit.trace(Probs(net), torch.rand(1, 3, N, N))
    ct.convert(tm, inputs=[ct.ImageType(name="image", shape=(1, 3, N, N), **img_kw)], classifier_config=ct.ClassifierConfig(WORDS), convert_to="neuralnetwork").save(out + "/neuralnetwork_fp32.mlmodel")

# ------------------------------------------------------------------ op-coverage networks
class Basic(nn.Module):
    def __init__(s, i, o, st):
        super().__init__(); s.a = cba(i, o, 3, st, act=nn.ReLU); s.b = cba(o, o, act=None); s.d = None if st == 1 and i == o else cba(i, o, 1, st, act=None)
    def forward(s, x): return F.relu(s.b(s.a(x)) + (x if s.d is None else s.d(x)))
class Bottle(nn.Module):
    def __init__(s, i, h, o, st):
        super().__init__(); s.m = nn.Sequential(cba(i, h, 1, act=nn.ReLU), cba(h, h, 3, st, act=nn.ReLU), cba(h, o, 1, act=None)); s.d = cba(i, o, 1, st, act=None)
    def forward(s, x): return F.relu(s.m(x) + s.d(x))
class Fire(nn.Module):
    def __init__(s, i, q, e): super().__init__(); s.s = nn.Conv2d(i, q, 1); s.a = nn.Conv2d(q, e, 1); s.b = nn.Conv2d(q, e, 3, padding=1)
    def forward(s, x): x = F.relu(s.s(x)); return torch.cat([F.relu(s.a(x)), F.relu(s.b(x))], 1)
class Asym(nn.Module):
    def __init__(s):
        super().__init__(); s.a = nn.Conv2d(3, 8, 3, 2); s.b = nn.Conv2d(8, 8, (1, 7), padding=(0, 3)); s.c = nn.Conv2d(8, 8, (7, 1), padding=(3, 0)); s.d = nn.Conv2d(8, 8, 2, padding="same"); s.e = nn.Conv2d(8, 12, 4, padding="same", dilation=(1, 2))
    def forward(s, x):
        x = F.relu(s.a(F.pad(x, (0, 1, 0, 1)))); x = F.relu(s.c(s.b(x))); x = F.relu(s.d(x)); return s.e(F.pad(x, (2, 0, 1, 3), value=.5))
class Pools(nn.Module):
    def forward(s, x):
        a = F.avg_pool2d(x, 3, 2, 1); b = F.avg_pool2d(x, 3, 2, 1, count_include_pad=False); c = F.max_pool2d(x, 3, 2, 1); d = F.max_pool2d(x, 3, 2, 1, ceil_mode=False)
        e = F.max_pool2d(x, 3, 2, ceil_mode=True)[..., :a.shape[2], :a.shape[3]]
        e = F.pad(e, (0, a.shape[3] - e.shape[3], 0, a.shape[2] - e.shape[2])); return torch.cat([a, b, c + d, e], 1)
class Mlp(nn.Module):
    def __init__(s): super().__init__(); s.e = nn.Conv2d(3, 24, 4, 4); s.n = nn.LayerNorm(24); s.a = nn.Linear(24, 48); s.b = nn.Linear(48, 24); s.t = nn.Linear(16, 16); s.h = nn.Linear(24, 6)
    def forward(s, x):
        x = s.e(x).flatten(2).transpose(1, 2); x = x + s.b(F.gelu(s.a(s.n(x)))); x = x + s.t(x.transpose(1, 2)).transpose(1, 2)
        w = torch.softmax(torch.matmul(x, x.transpose(1, 2)) / 5, -1); return s.h(F.gelu(torch.matmul(w, x), approximate="tanh").mean(1))
class Acts(nn.Module):
    def __init__(s): super().__init__(); s.c = nn.Conv2d(3, 10, 3, padding=1); s.p = nn.PReLU(10)
    def forward(s, x):
        x = s.c(x); return torch.cat([F.leaky_relu(x, .1), s.p(x), F.elu(x, .7), F.softplus(x), torch.tanh(x), F.hardtanh(x, -.5, .8), F.hardswish(x), F.hardsigmoid(x), F.silu(x), torch.sigmoid(x), F.relu6(x * 3)], 1)

def op_nets():
    S = nn.Sequential
    return {
     "mobilenet2": (lambda: Head(S(cba(3, 8, 3, 2), IR(8, 8, 1, 1), IR(8, 12, 2, 4), IR(12, 12, 1, 4), cba(12, 20, 1)), 20, 7), (1, 3, 40, 56)),
     "resnet": (lambda: Head(S(cba(3, 8, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1), Basic(8, 8, 1), Basic(8, 12, 2), Bottle(12, 6, 24, 2)), 24, 7), (1, 3, 64, 64)),
     "se_hswish": (lambda: Head(S(cba(3, 8, 3, 2, act=nn.Hardswish), IR(8, 12, 2, 3, 5, nn.Hardswish, "hard"), IR(12, 12, 1, 3, 5, nn.Hardswish, "hard")), 12, 7), (1, 3, 32, 32)),
     "dilated": (lambda: S(cba(3, 8, 3, d=2), cba(8, 8, 3, g=8, d=3), cba(8, 12, 3, 2, d=2, p=1, act=None)), (1, 3, 24, 31)),
     "grouped": (lambda: Head(S(cba(3, 12, 3), cba(12, 24, 3, 2, g=4), cba(24, 48, 5, 2, g=24), cba(48, 16, 1, g=2)), 16, 5), (1, 3, 28, 28)),
     "asympad": (Asym, (1, 3, 17, 22)),
     "squeeze": (lambda: Head(S(nn.Conv2d(3, 12, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(12, 4, 8), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(16, 6, 8)), 16, 5), (1, 3, 49, 46)),
     "pools": (Pools, (1, 4, 15, 18)), "mlp": (Mlp, (1, 3, 16, 16)), "acts": (Acts, (1, 3, 9, 9)),
    }

def emit(out, name, m, shape, prec, tgt, rows, seed, post=None, check_torch=True, x=None):
    """Convert, save, run the reference executor, compare with torch, record tolerances."""
    g = torch.Generator().manual_seed(seed)
    if x is None: x = torch.randn(shape, generator=g)
    mm = convert(m, shape, prec, tgt) if isinstance(m, nn.Module) else m
    if post: mm = post(mm)
    tag = "%s_%s_ios%d" % (name, prec, tgt); p = save(mm, "%s/%s.mlpackage" % (out, tag))
    inp = p.fn["inputs"][0]["name"]; o = p.block["outputs"][0]
    x.numpy().astype("<f4").tofile("%s/%s.in.f32" % (out, tag))
    r = mlpkg.run(p, {inp: x.numpy()})[o]; h = mlpkg.run(p, {inp: x.numpy()}, "fp16")[o]
    r.astype("<f4").tofile("%s/%s.out.f32" % (out, tag)); mag = float(abs(r).max()); dh = float(abs(r - h).max()); dt = None
    if check_torch and isinstance(m, nn.Module):
        with torch.no_grad(): dt = float(abs(m(x).numpy() - r).max())
        if prec == "fp32" and not post: assert dt < 1e-5 * mag, (tag, dt)
    tol = 1e-4 * mag if prec == "fp32" else max(6 * dh, 4e-3 * mag)
    rows.append({"name": tag, "input": inp, "input_shape": list(shape), "output": o, "output_shape": list(r.shape), "max_abs_ref": mag, "torch_fp32_diff": dt, "fp16_activation_diff": dh if prec == "fp16" else None,
                 "tol_abs": float("%.3g" % tol), "ops": sorted({q["type"] for q in p.block["operations"]} - {"const"})})
    print(tag, "max", round(mag, 3), "torch diff", dt, "fp16 diff", dh, "tol", rows[-1]["tol_abs"], flush=True)

def builder_program(fn, shape, tgt):
    f = mb.program(input_specs=[mb.TensorSpec(shape=shape)], opset_version=T[tgt])(fn)
    return ct.convert(f, convert_to="mlprogram", minimum_deployment_target=T[tgt], compute_precision=P["fp32"])

def ops(out):
    os.makedirs(out, exist_ok=True); rows = []
    for i, (n, (mk, shape)) in enumerate(op_nets().items()):
        torch.manual_seed(100 + i); m = rand_bn(mk(), torch.Generator().manual_seed(200 + i))
        emit(out, n, m, shape, "fp32", 16, rows, 300 + i)
        if n in ("mobilenet2", "resnet", "se_hswish", "squeeze", "mlp", "acts"): emit(out, n, m, shape, "fp16", (15, 16, 17, 18)[i % 4], rows, 300 + i)
        if n == "resnet": emit(out, n + "_f16io", convert_f16io(m, shape, 16), shape, "fp16", 16, rows, 300 + i)
        if n == "mobilenet2":
            emit(out, n + "_pal4", m, shape, "fp16", 16, rows, 300 + i, post=lambda q: cto.palettize_weights(q, cto.OptimizationConfig(global_config=cto.OpPalettizerConfig(nbits=4, weight_threshold=40))), check_torch=False)
            emit(out, n + "_pal6", m, shape, "fp32", 16, rows, 300 + i, post=lambda q: cto.palettize_weights(q, cto.OptimizationConfig(global_config=cto.OpPalettizerConfig(nbits=6, weight_threshold=40))), check_torch=False)
            emit(out, n + "_int8", m, shape, "fp16", 18, rows, 300 + i, post=lambda q: cto.linear_quantize_weights(q, cto.OptimizationConfig(global_config=cto.OpLinearQuantizerConfig(weight_threshold=40))), check_torch=False)
    r = np.random.RandomState(5); w = (r.randn(6, 3, 4, 4) * .2).astype(np.float32)
    def same(x):
        a = mb.conv(x=x, weight=w, pad_type="same", strides=[2, 2]); b = mb.conv(x=x, weight=w, pad_type="same_lower", strides=[2, 2])
        c = mb.max_pool(x=x, kernel_sizes=[3, 3], strides=[2, 2], pad_type="same"); d = mb.avg_pool(x=x, kernel_sizes=[2, 2], strides=[2, 2], pad_type="same", exclude_padding_from_average=True)
        return mb.concat(values=[mb.relu6(x=a), b, c, d], axis=1, name="y")
    emit(out, "same_padding", builder_program(same, (1, 3, 11, 14), 16), (1, 3, 11, 14), "fp32", 16, rows, 41)
    def ccast(x):
        k = mb.constexpr_cast(source_val=w.astype(np.float16), output_dtype="fp32"); return mb.conv(x=x, weight=k, pad_type="valid", name="y")
    emit(out, "constexpr_cast", builder_program(ccast, (1, 3, 8, 8), 16), (1, 3, 8, 8), "fp32", 16, rows, 42)
    def mix(x):                                                   # asymmetric custom pads, visible epsilons, interleave, odd slices
        a = mb.conv(x=x, weight=w[:, :, :3, :2], bias=w[:, 0, 0, 0], pad_type="custom", pad=[2, 0, 1, 3], strides=[1, 2], dilations=[2, 1])
        a = mb.batch_norm(x=a, mean=w[:, 0, 0, 1], variance=abs(w[:, 0, 0, 2]) * .1, gamma=w[:, 0, 0, 3] + 1, beta=w[:, 0, 1, 0], epsilon=np.float32(.02))
        b = mb.max_pool(x=a, kernel_sizes=[3, 2], strides=[2, 1], pad_type="custom", pad=[0, 1, 1, 0]); c = mb.avg_pool(x=a, kernel_sizes=[3, 2], strides=[2, 1], pad_type="custom", pad=[0, 1, 1, 0], exclude_padding_from_average=True)
        d = mb.concat(values=[b, c], axis=1, interleave=True); e, f, h = mb.split(x=d, num_splits=3, axis=1)
        f = mb.slice_by_index(x=f, begin=[0, -3, 0, 0], end=[1, 4, 0, 0], stride=[1, 2, 1, 1], begin_mask=[True, False, True, True], end_mask=[True, False, True, True]); h = mb.layer_norm(x=h, axes=[1, 3], epsilon=np.float32(.3))
        return mb.concat(values=[e, f, h], axis=1, name="y")
    emit(out, "mix", builder_program(mix, (1, 3, 12, 9), 16), (1, 3, 12, 9), "fp32", 16, rows, 43)
    class Att(nn.Module):
        def __init__(s): super().__init__(); s.q = nn.Linear(12, 36); s.o = nn.Linear(12, 5)
        def forward(s, x):
            q, k, v = s.q(x).reshape(1, 7, 3, 2, 6).permute(2, 0, 3, 1, 4).unbind(0); return s.o(F.scaled_dot_product_attention(q * 3, k, v).transpose(1, 2).reshape(1, 7, 12))
    torch.manual_seed(44); at = Att().eval(); emit(out, "attention", at, (1, 7, 12), "fp32", 18, rows, 44); emit(out, "attention", at, (1, 7, 12), "fp16", 16, rows, 44)
    json.dump(rows, open(out + "/ops.json", "w"), indent=1)

# ------------------------------------------------------------------ damaged packages
def bad(out, src, which):
    shutil.rmtree(out, ignore_errors=True); os.makedirs(out)
    def copy(n): d = "%s/%s.mlpackage" % (out, n); shutil.copytree(src, d); return d
    wb = lambda d: d + "/Data/com.apple.CoreML/weights/weight.bin"; mm = lambda d: d + "/Data/com.apple.CoreML/model.mlmodel"
    def trunc(p, k): b = open(p, "rb").read(); open(p, "wb").write(b[:k(len(b))])
    def poke(p, off, v): b = bytearray(open(p, "rb").read()); b[off:off + len(v)] = v; open(p, "wb").write(b)
    A = {"no_manifest": lambda d: os.remove(d + "/Manifest.json"), "weights_truncated": lambda d: trunc(wb(d), lambda n: n // 2), "weights_missing": lambda d: os.remove(wb(d)),
         "model_truncated": lambda d: trunc(mm(d), lambda n: n - 900), "bad_sentinel": lambda d: poke(wb(d), 64, b"\0\0\0\0"), "model_empty": lambda d: trunc(mm(d), lambda n: 0),
         "blob_type_wrong": lambda d: poke(wb(d), 68, b"\x04\0\0\0"), "blob_size_huge": lambda d: poke(wb(d), 72, b"\xff" * 7 + b"\x7f"), "weights_version1": lambda d: poke(wb(d), 4, b"\x01\0\0\0"),
         "manifest_escape": lambda d: (lambda s: open(d + "/Manifest.json", "w").write(s.replace("com.apple.CoreML/model.mlmodel", "../../../outside.mlmodel")))(open(d + "/Manifest.json").read()),
         "unknown_op": lambda d: (lambda b: open(mm(d), "wb").write(b.replace(b"\x0a\x04relu", b"\x0a\x04rely")))(open(mm(d), "rb").read()),
         "wrong_root": lambda d: (lambda s: open(d + "/Manifest.json", "w").write(s.replace('"rootModelIdentifier": "', '"rootModelIdentifier": "X')))(open(d + "/Manifest.json").read())}
    for n in which:
        d = copy(n); A[n](d)
        try:
            b = mlpkg.check(d)
            if not b: mlpkg.run(mlpkg.Package(d), {"x": np.zeros((1, 3, 64, 64))}); b = "NOT DETECTED"
        except Exception as e: b = repr(e)
        print("bad", n, str(b)[:110])

if __name__ == "__main__":
    fx = HERE; todo = sys.argv[1:] or ["digits", "ops", "bad"]
    if "digits" in todo: digits(fx + "/digits")
    if "ops" in todo: ops(fx + "/ops")
    if "bad" in todo: bad(fx + "/bad", fx + "/ops/resnet_fp32_ios16.mlpackage", ["no_manifest", "weights_truncated", "model_truncated", "bad_sentinel", "blob_type_wrong", "unknown_op", "manifest_escape"])
