const WORDS =
  'ar إغلاق,bg Затваряне,cs Zavřít,da Luk,de Schließen,el Κλείσιμο,en Close,es Cerrar,fa بستن,fi Sulje,fr Fermer,he סגירה,hi बंद करें,hr Zatvori,hu Bezárás,id Tutup,it Chiudi,ja 閉じる,ko 닫기,nb Lukk,nl Sluiten,no Lukk,pl Zamknij,pt Fechar,ro Închide,ru Закрыть,sk Zavrieť,sr Затвори,sv Stäng,th ปิด,tr Kapat,uk Закрити,ur بند کریں,vi Đóng,zh 关闭'

/** "Close" in a language such as `pt-BR`, else in the device's, else in English. */
export function closeWord(lang) {
  for (const tag of [lang, navigator.language, 'en']) {
    const found =
      tag &&
      new RegExp(
        `(?:^|,)${String(tag)
          .toLowerCase()
          .replace(/[^a-z].*/, '')} ([^,]+)`,
      ).exec(WORDS)
    if (found) return found[1]
  }
}

const RIGHT_TO_LEFT = '\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc'
const STARTS_RIGHT = new RegExp(
  `^[^A-Za-z\u00c0-\u02b8\u0370-\u058f\u0900-\u1fff\u3040-\ud7ff${RIGHT_TO_LEFT}]*[${RIGHT_TO_LEFT}]`,
)

/** The direction of a text by its first letter. */
export function directionOf(text) {
  return STARTS_RIGHT.test(text) ? 'rtl' : 'ltr'
}
