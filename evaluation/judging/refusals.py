"""How a judge says that it will not rate. The words decide only which reason a missing level has."""

from __future__ import annotations

import re

_VERBS = (
    "help|assist|comply|rate|score|answer|evaluate|assess|judge|annotate|label|classify|provide|do|fulfil|fulfill|"
    "engage|process|respond|continue|complete|give|determine|analy[sz]e|translate|discuss|generate"
)
_ENGLISH = re.compile(
    rf"(?:(?:i'?m|i am|we are|we're) (?:(?:so |very |really )?sorry|unable to|not able to)|sorry\b|i apologi[sz]e|"
    rf"i (?:can't|cannot|can not|won't|will not) (?:{_VERBS})|i (?:must |have to )?(?:decline|refuse)\b|"
    rf"as an ai\b|unable to (?:{_VERBS})|(?:cannot|can't|can not|could not|couldn't) (?:be )?(?:{_VERBS})e?d?\b|"
    rf"no (?:answer|response|reply|rating)\b)",
    re.IGNORECASE,
)
# First words of a refusal in the languages that the corpora hold; recorded answers are all in English, but a judge
# may answer in the text's language.
_OTHER_LANGUAGES = tuple(
    phrase.casefold()
    for phrase in (
        *("lo siento", "lamento", "no puedo", "je suis désolé", "désolé", "je ne peux pas"),
        *("es tut mir leid", "tut mir leid", "ich kann nicht", "ich kann diese", "mi dispiace", "non posso"),
        *("sinto muito", "desculpe", "não posso", "het spijt me", "ik kan niet", "ik kan geen"),
        *("przepraszam", "przykro mi", "nie mogę", "извините", "простите", "к сожалению", "мне жаль", "я не могу"),
        *("üzgünüm", "özür dilerim", "maalesef", "samahani", "siwezi", "عذرا", "آسف", "أنا آسف", "أعتذر", "لا أستطيع"),
        *("לא יכול", "אני לא יכול", "אני מצטער", "מצטער", "סליחה", "क्षमा करें", "मुझे खेद है", "माफ़ कीजिए"),
        *("申し訳", "すみません", "ごめんなさい", "죄송", "미안", "对不起", "抱歉", "很抱歉", "我无法", "我不能"),
        *("對不起", "我無法", "ขอโทษ", "ขออภัย"),
    )
)
_LEAD = re.compile(r"[\W_]*+")


def is_refusal(text: str) -> bool:
    """Tell whether folded `text` begins by declining to answer."""
    lead = _LEAD.match(text)
    beginning = text[lead.end() if lead else 0 :][:80]
    return bool(_ENGLISH.match(beginning)) or beginning.casefold().startswith(_OTHER_LANGUAGES)
