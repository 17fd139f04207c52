"""The prompts of the training set and the turns of Gemma's chat format."""

import random

SYSTEM = (
    "You tell bedtime stories to children from three to eight. Use short, warm sentences. Keep it gentle: no violence, "
    "weapons, blood, death, fear or cruelty. End with everyone safe and asleep."
)
PROMPT = "Tell a bedtime story about {}."

# Other ways in which an app or a person may ask, so that the model does not depend on one wording.
PARAPHRASES = [
    "Tell me a bedtime story about {}.", "Tell me a story about {}.", "A story about {}, please.", "{}",
    "Please tell a bedtime story about {}.", "A bedtime story about {}", "Can you tell me a bedtime story about {}?",
    "Could you tell a story about {}, please?", "I would like a bedtime story about {}.", "Write a bedtime story about {}.",
    "Write a short story about {} for a small child.", "Tonight I want to hear about {}.", "Once more: {}.",
    "Tell a short, gentle bedtime story about {}.", "It is bedtime. Tell us about {}.",
    "Tell a bedtime story about {}. It should be about two hundred words long.", "tell me about {}", "Story: {}",
]
RULES = [
    ["You tell bedtime stories to children from three to eight.", "You tell bedtime stories to small children.",
     "You are a storyteller for young children.", "You are a kind storyteller.", "You write bedtime stories."],
    ["Use short, warm sentences.", "Use simple words and short sentences.", "Write warmly and simply.",
     "Keep the sentences short."],
    ["Keep it gentle: no violence, weapons, blood, death, fear or cruelty.", "Keep it gentle and kind.",
     "Nothing scary may happen.", "No violence and nothing frightening."],
    ["End with everyone safe and asleep.", "Everyone falls asleep at the end.", "End the story with a peaceful sleep.",
     "The ending is calm and sleepy."],
]


def paraphrased_system(rng: random.Random) -> str:
    rules = [rng.choice(r) for r in rng.sample(RULES, rng.randint(1, len(RULES)))]
    if rng.random() < 0.5:
        rules = sorted(rules, key=lambda r: next(i for i, g in enumerate(RULES) if r in g))
    return " ".join(rules)


def prompt(title: str, rng: random.Random) -> str:
    """What the user's turn says: 45 % the app's prompt, 15 % other wordings, 40 % with a system text in front."""
    x = rng.random()
    if x < 0.45:
        return PROMPT.format(title)
    if x < 0.60:
        return rng.choice(PARAPHRASES).format(title)
    system = SYSTEM if x < 0.80 else paraphrased_system(rng)
    # Gemma has no turn of its own for system texts: they precede the first user text.
    wording = PROMPT if x < 0.80 or rng.random() < 0.7 else rng.choice(PARAPHRASES)
    return f"{system}\n\n{wording.format(title)}"


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
