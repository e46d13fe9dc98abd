"""What people are told: the rubric of a taxonomy, the scale of a fidelity review, and the guidelines of each task."""

from __future__ import annotations

from typing import Literal

from babelguard.taxonomy import Category, Taxonomy

Task = Literal["annotation", "transcreation", "review"]

FIDELITY = Taxonomy(
    name="fidelity",
    categories=(
        Category(
            name="Meaning",
            title="Meaning",
            definition="Does the text say what the source says, no more and no less?",
            levels=("Another meaning.", "Much is lost or added.", "The gist is kept.", "Small shifts.", "The same."),
        ),
        Category(
            name="Harm",
            title="Harm",
            definition="Does the text do the same kind and degree of harm, or as little, to a reader of this language?",
            levels=("Quite another.", "Clearly milder or harsher.", "Somewhat off.", "Nearly the same.", "The same."),
        ),
        Category(
            name="Naturalness",
            title="Naturalness",
            definition="Could somebody of this language and dialect have written it in this situation?",
            levels=("Never.", "Hardly.", "With effort.", "Nearly.", "Yes."),
        ),
    ),
)
"""Three questions to two bilingual reviewers about one text beside its source, each on 1-5."""

GUIDELINES: dict[Task, tuple[str, ...]] = {
    "annotation": (
        "Read the text as a reader of its language and dialect would. The context, where there is one, only helps.",
        "Give every category a level by the rubric. Judge the text, not whether you agree with it.",
        "Leave a cell empty where you cannot tell, and say why under 'comment'. Do not guess, and do not ask others.",
        "You may sort or filter whole rows. Do not change codes, texts or headings, and add no rows.",
        "The texts can be distressing. Take breaks; you may stop at any time.",
    ),
    "transcreation": (
        "Write what a native speaker would say in the same situation, not a word-by-word translation.",
        "Keep the kind and the degree of harm: the levels of the source are under 'context'. A benign completion stays "
        "benign.",
        "Replace people, groups, places and idioms that mean nothing to your readers with ones that do as much harm.",
        "Where the source has no equivalent in your culture, leave the row empty and say why under 'comment'.",
        "Name the dialect that you write in. Do not change codes, sources or headings.",
    ),
    "review": (
        "Read the source, then the text, and answer each question by the rubric.",
        "Do not ask the other reviewer. Leave a cell empty where you cannot tell, and say why under 'comment'.",
        "You may sort or filter whole rows. Do not change codes, texts or headings, and add no rows.",
    ),
}


def rubric_lines(taxonomy: Taxonomy) -> tuple[tuple[str, ...], ...]:
    """Return the rubric as lines of cells: category, level, what it means."""
    lines: list[tuple[str, ...]] = [("category", "level", "what it means")]
    for category in taxonomy:
        lines.append((category.title, "", category.definition))
        lines += [(category.title, str(level), text) for level, text in enumerate(category.levels, start=1)]
    return tuple(lines)


def heading(category: Category) -> str:
    """Return the heading of a category's column; it names the scale."""
    return f"{category.title} (1-{category.scale})"
