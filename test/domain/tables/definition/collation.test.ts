import { expect } from 'chai'
import { COLLATIONS, sortKeyOf } from '../../../../src/domain/tables/definition/collation.ts'
import { chance } from '../../../support/chance.ts'
import { compareKeys, textByChance } from '../../../support/texts.ts'

const sorted = (language: string, words: readonly string[]) =>
  words.toSorted((a, b) => compareKeys(sortKeyOf(language, a), sortKeyOf(language, b)))

describe('sort keys of texts', () => {
  const orders: [string, string][] = [
    ['und', 'Äpfel apple banana Zebra'],
    ['und', 'a A á Á ab áb b'],
    ['und', 'cote coté côte côté Zürich'],
    ['und', '1 10 2 a'],
    ['und', 'Strasse Straße Strassen'],
    ['und', 'Ærø æsel af'],
    ['und', 'ο Οδός όλος'],
    ['und', 'иод йод код'],
    ['de', 'Äpfel apple banana Öl ölig Zebra'],
    ['sv', 'apple banana übel yxa Zebra åka Äpfel ö'],
    ['da', 'Zebra Æble Ø Aalborg'],
    ['es', 'nz ñu o'],
    ['cs', 'cz čas hz chata i'],
    ['pl', 'lz łan mz'],
    ['tr', 'hz Isı iz'],
    ['uk', 'из із їж йод'],
  ]
  for (const [language, words] of orders) {
    it(`are in the order ${words} (${language})`, () => {
      const list = words.split(' ')
      expect(sorted(language, list.toReversed())).to.deep.equal(list)
    })
  }

  it('put blanks before punctuation, that before digits, and those before letters, and nothing before all', () => {
    const list = ['', 'New York', 'New-York', 'New1', 'Newark', 'Newark\u{1f600}', 'Newarka']
    expect(sorted('und', list.toReversed())).to.deep.equal(list)
  })

  /** Words of the letters and words of a language's alphabet. */
  const ALPHABETS: Record<string, string> = {
    und: 'aáàâäbcçdeéèêëfghiíîïjklmnoóôöœpqrsßtuúùûüvwxyÿz',
    cs: 'aábcčdďeéěfghiíjklmnňoópqrřsštťuúůvwxyýzž',
    da: 'abcdefghijklmnopqrstuvwxyzæøå',
    el: 'αάβγδεέζηήθιίκλμνξοόπρσςτυύφχψωώ',
    es: 'aábcdeéfghiíjklmnñoópqrstuúüvwxyz',
    fi: 'abcdefghijklmnopqrsštuvwxyzžåäö',
    pl: 'aąbcćdeęfghijklłmnńoópqrsśtuvwxyzźż',
    ro: 'aăâbcdefghiîjklmnopqrsștțuvwxyz',
    ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
    sk: 'aáäbcčdďeéfghiíjklĺľmnňoóôpqrŕsštťuúvwxyýzž',
    sv: 'abcdefghijklmnopqrstuvwxyzåäöé',
    tr: 'abcçdefgğhıijklmnoöprsştuüvyz',
    uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  }
  for (const language of COLLATIONS) {
    it(`agree with the collator of Unicode about words of ${language}`, () => {
      const pick = chance(42)
      const small = Array.from(
        (ALPHABETS[language] ?? (language === 'nb' || language === 'nn' ? ALPHABETS.da : ALPHABETS.und))!,
      )
      const letters = [
        ...small,
        ...small.map((letter) => letter.toLocaleUpperCase(language === 'tr' ? 'tr' : 'und')),
        ' ',
      ]
      const collator = new Intl.Collator(language)
      // The collator takes the a of aå and the one within å for a Danish aa, and does not take aA for one.
      const word = () =>
        Array.from({ length: 1 + pick(5) }, () => letters[pick(letters.length)])
          .join('')
          .replace(/a(?=å)/gi, 'b')
          .replaceAll('aA', 'b')
      for (let i = 0; i < 500; i++) {
        const [a, b] = [word(), word()]
        const given = Math.sign(compareKeys(sortKeyOf(language, a), sortKeyOf(language, b)))
        expect(given, JSON.stringify([a, b])).to.equal(Math.sign(collator.compare(a, b)))
      }
    })
  }

  it('are short enough for an index, storable, and the same for texts that look the same', () => {
    const pick = chance(7)
    const longest = ['\ufdfa', '!', '\u{1d4d0}', 'É', 'e\u0301', 'ß', '\u{1f600}'].map((one) =>
      one.repeat(255 / one.length),
    )
    for (const text of [...longest, ...Array.from({ length: 2000 }, () => textByChance(pick, 255))]) {
      const key = sortKeyOf('und', text)
      expect(Buffer.byteLength(key)).to.be.at.most(2042)
      expect(key.isWellFormed()).to.equal(true)
      expect(key).to.not.include('\0')
      expect(sortKeyOf('und', text.normalize('NFD'))).to.equal(sortKeyOf('und', text.normalize('NFC')))
    }
    expect(sortKeyOf('und', 'a\u200eb\u0007')).to.equal(sortKeyOf('und', 'ab'))
  })
})
