"""Ordinary prompts of the training set in three languages, and the turns of Gemma's chat format."""

import random

# The words of `StoryPrompt` in the program; the system text in parts, so that other prompts can leave some out.
SYSTEM = {
    "en": ["You tell bedtime stories to children from three to eight. Use short, warm sentences.",
           "Keep it gentle: no violence, weapons, blood, death, fear or cruelty.", "End with everyone safe and asleep."],
    "es": ["Cuentas cuentos para dormir a niños de tres a ocho años. Escribe en español, con frases cortas y cálidas.",
           "Que todo sea suave: sin violencia, armas, sangre, muerte, miedo ni crueldad.",
           "Al final todos están a salvo y dormidos."],
    "zh-Hans": ["你给三到八岁的孩子讲睡前故事。请用简体中文，句子要简短、温暖。", "故事要温柔：没有暴力、武器、流血、死亡、恐惧或残忍。",
                "结尾时，大家都平平安安地睡着了。"],
}
PROMPT = {
    "en": "Tell a bedtime story about {}.",
    "es": "Cuenta un cuento para dormir sobre {}. Escríbelo en español.",
    "zh-Hans": "请用中文讲一个关于{}的睡前故事。",
}
NAME = {
    "en": "A child called {} is in it.",
    "es": "En él aparece {}, la criatura que lo escucha.",
    "zh-Hans": "故事里有一个叫{}的孩子。",
}
LENGTH = {
    "en": {"short": "Keep it short, about 100 words.", "long": "Tell it in three parts, 600 to 900 words in all."},
    "es": {"short": "Que sea corto, de unas 100 palabras.",
           "long": "Cuéntalo en tres partes, con 600 a 900 palabras en total."},
    "zh-Hans": {"short": "短一点，两百字左右。", "long": "分三段讲，一共一千到一千五百字。"},
}

# Other ways in which an app or a person may ask, so that the model does not depend on one wording.
PARAPHRASES = {
    "en": [
        "Tell me a bedtime story about {}.", "Tell me a story about {}.", "A story about {}, please.", "{}",
        "Please tell a bedtime story about {}.", "A bedtime story about {}", "Can you tell me a bedtime story about {}?",
        "Could you tell a story about {}, please?", "I would like a bedtime story about {}.", "Write a bedtime story about {}.",
        "Write a short story about {} for a small child.", "Tonight I want to hear about {}.", "Once more: {}.",
        "Tell a short, gentle bedtime story about {}.", "It is bedtime. Tell us about {}.",
        "Tell a bedtime story about {}. It should be about two hundred words long.", "tell me about {}", "Story: {}",
    ],
    "es": [
        "Cuéntame un cuento sobre {}.", "Cuéntame un cuento para dormir sobre {}.", "Un cuento sobre {}, por favor.", "{}",
        "¿Me cuentas un cuento sobre {}?", "Quiero un cuento sobre {}.", "Escribe un cuento corto sobre {}.",
        "Escribe un cuento para dormir sobre {}.", "Es hora de dormir. Háblanos de {}.", "Cuento: {}",
        "Esta noche quiero oír algo sobre {}.",
    ],
    "zh-Hans": [
        "讲一个关于{}的故事。", "给我讲一个关于{}的睡前故事。", "我想听{}的故事。", "{}", "请讲一个{}的故事。", "写一个关于{}的睡前故事。",
        "今晚想听{}。", "能讲一个关于{}的故事吗？", "故事：{}", "该睡觉了，给我们讲讲{}吧。",
    ],
}
GAP = {"en": " ", "es": " ", "zh-Hans": ""}


def prompt(title: str, language: str, rng: random.Random, length: str = "medium", name: str | None = None) -> str:
    """What the user's turn says: 45 % the app's words, 15 % other ones, 40 % with a system text in front, half of it in parts."""
    x = rng.random()
    asked = PROMPT[language] if x < 0.45 or x >= 0.60 and rng.random() < 0.8 else rng.choice(PARAPHRASES[language])
    wants = [asked.format(title)]
    if name:
        wants.append(NAME[language].format(name))
    if length in LENGTH[language]:
        wants.append(LENGTH[language][length])
    user = GAP[language].join(wants)
    if x < 0.60:
        return user
    parts = SYSTEM[language]
    if x >= 0.80:
        parts = rng.sample(parts, rng.randint(1, len(parts)))
    # Gemma has no turn of its own for system texts: they precede the first user text.
    return f"{GAP[language].join(parts)}\n\n{user}"


def turns(user: str) -> str:
    """The text before the model's answer. `<bos>` is not part of it: tokenizers add it."""
    return f"<start_of_turn>user\n{user.strip()}<end_of_turn>\n<start_of_turn>model\n"


# For chat_template: the same as a Jinja template, with the system text in front of the first user text.
TEMPLATE = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set first = messages[0]['content'] + '\\n\\n' %}"
    "{% set rest = messages[1:] %}{% else %}{% set first = '' %}{% set rest = messages %}{% endif %}"
    "{% for m in rest %}{{ '<start_of_turn>' + ('model' if m['role'] == 'assistant' else m['role']) + '\\n' }}"
    "{% if loop.first %}{{ first }}{% endif %}{{ m['content'] | trim }}{{ '<end_of_turn>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)
