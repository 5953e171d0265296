"""In which language a reply is given: Turkish for a question in Turkish, else English."""

from __future__ import annotations

import re

_TURKISH_LETTER = re.compile("[ğşıİĞŞ]")
_WORD = re.compile(r"[^\W\d_]+")
_TURKISH = frozenset(
    "bir ve bu ne nedir mi mu kadar var yok bana benim sana senin hangi kim nerede zaman neden niye nasil icin ile"
    " olarak gibi daha sonra once ver yap et yaz soyle goster lutfen misin musun miyim ben sen biz siz tum butun her"
    " hesap prim poliçe polis kural talimat".split()
)
_ENGLISH = frozenset(
    "the of and to in a is are do does what how who when where which why can i my me you your it that this for on with"
    " from or not should please all tell give show".split()
)


def reply_language(text: str, default: str) -> str:
    """`tr` or `en`: by letters that only Turkish has and by common words; `default` where neither tells."""
    if _TURKISH_LETTER.search(text[:2000]):
        return "tr"
    words = [word.casefold() for word in _WORD.findall(text[:2000])]
    turkish, english = sum(w in _TURKISH for w in words), sum(w in _ENGLISH for w in words)
    return default if turkish == english else "tr" if turkish > english else "en"
