// For grown-ups: settings behind a question that small children cannot answer.

/** How long the settings stay open to whoever answered, in milliseconds. */
const trust = 300_000;

export class Settings {
  #dialog;
  #preferences;
  #changed;
  #trustedUntil = 0;
  #product = 0;

  /** @param dialog the element. @param changed is called with the names of the preferences that were changed. */
  constructor(dialog, preferences, changed) {
    this.#dialog = dialog;
    this.#preferences = preferences;
    this.#changed = changed;
    this.#wire();
    for (const button of this.#all("[data-close]")) button.addEventListener("click", () => dialog.close());
    this.#at("answers").addEventListener("click", (event) => this.#answer(event.target.closest("button")));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  get isOpen() {
    return this.#dialog.open;
  }

  open() {
    this.#show(performance.now() < this.#trustedUntil);
    this.#dialog.showModal();
  }

  #at(id) {
    return this.#dialog.querySelector(`#${id}`);
  }

  #all(selector) {
    return this.#dialog.querySelectorAll(selector);
  }

  #show(isTrusted) {
    this.#at("gate").hidden = isTrusted;
    this.#at("settings").hidden = !isTrusted;
    if (!isTrusted) this.#ask();
  }

  /** A product of the small table, and three wrong ones beside it. */
  #ask() {
    const draw = () => 6 + Math.floor(Math.random() * 4);
    const [a, b] = [draw(), draw()];
    this.#product = a * b;
    this.#at("question").textContent = `${a} × ${b} = ?`;
    const wrong = [-b, a, 10, -10, -1, 1].map((away) => a * b + away).filter((value) => value > 0);
    const answers = [a * b, ...new Set(wrong)].slice(0, 4).sort(() => Math.random() - 0.5);
    this.#at("answers").replaceChildren(...answers.map((value) =>
      Object.assign(document.createElement("button"), { type: "button", textContent: value, value })));
  }

  #answer(button) {
    if (!button) return;
    if (Number(button.value) !== this.#product) {
      this.#at("gate-wrong").hidden = false;
      return this.#ask();
    }
    this.#at("gate-wrong").hidden = true;
    this.#trustedUntil = performance.now() + trust;
    this.#show(true);
    this.#at("settings-title").focus();
  }

  /** Each field shows a preference and changes it; its name is in `data-preference`. */
  #wire() {
    for (const field of this.#all("[data-preference]")) {
      const name = field.dataset.preference;
      const value = this.#preferences[name];
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
      const isNumber = typeof value === "number";
      field.addEventListener(field.type === "range" ? "input" : "change", () => {
        if (name === "name") field.value = field.value.trim();
        const changed = field.type === "checkbox" ? field.checked : isNumber ? Number(field.value) : field.value;
        this.#preferences.set({ [name]: changed });
        this.#changed(name);
      });
    }
  }
}
