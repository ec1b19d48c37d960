import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  canonicalTag,
  judgeVariants,
  languageMatcher,
  MAX_VARIANTS,
  tagOfLocale,
} from '../../../src/domain/personalization/languages.ts'

/** A tag or locale, its canonical tag read strictly, and read as a device writes it. Undefined: none. */
const TAGS: readonly [given: string, strict: string | undefined, ofDevice: string | undefined][] = [
  ['de', 'de', 'de'],
  ['DE', 'de', 'de'],
  ['de-AT', 'de-AT', 'de-AT'],
  ['DE-at', 'de-AT', 'de-AT'],
  ['deu', 'de', 'de'],
  ['ger', 'de', 'de'],
  ['en-840', 'en-US', 'en-US'],
  ['es-419', 'es-419', 'es-419'],
  ['haw', 'haw', 'haw'],
  // Former codes, which Java and Android still send.
  ['iw', 'he', 'he'],
  ['iw-IL', 'he-IL', 'he-IL'],
  ['in', 'id', 'id'],
  ['in-ID', 'id-ID', 'id-ID'],
  ['ji', 'yi', 'yi'],
  ['no', 'nb', 'nb'],
  ['no-NO', 'nb-NO', 'nb-NO'],
  ['nn-NO', 'nn-NO', 'nn-NO'],
  ['tl', 'fil', 'fil'],
  ['mo', 'ro', 'ro'],
  ['sh', 'sr-Latn', 'sr-Latn'],
  ['cmn-Hans-CN', 'zh-Hans-CN', 'zh-Hans-CN'],
  ['zh-hant-tw', 'zh-Hant-TW', 'zh-Hant-TW'],
  ['yue-HK', 'yue-HK', 'yue-HK'],
  // Extensions and private use.
  ['de-u-nu-latn', 'de', 'de'],
  ['ar-EG-u-nu-latn', 'ar-EG', 'ar-EG'],
  ['en-a-bbb-x-ccc', 'en', 'en'],
  ['de-x-twain', 'de', 'de'],
  ['x-twain', undefined, undefined],
  // Variant subtags.
  ['ca-valencia', 'ca-valencia', 'ca-valencia'],
  ['ca-ES-VALENCIA', 'ca-ES-valencia', 'ca-ES-valencia'],
  ['de-1996', 'de-1996', 'de-1996'],
  ['sl-rozaj-biske', 'sl-biske-rozaj', 'sl-biske-rozaj'],
  ['en-US-posix', 'en-US', 'en-US'],
  // Grandfathered tags: those that Unicode reads.
  ['art-lojban', 'jbo', 'jbo'],
  ['zh-guoyu', 'zh', 'zh'],
  ['zh-xiang', 'hsn', 'hsn'],
  ['i-klingon', undefined, undefined],
  ['zh-min-nan', undefined, undefined],
  ['en-GB-oed', undefined, undefined],
  ['zh-cmn-Hans', undefined, undefined],
  // As runtimes write locales.
  ['de_DE', undefined, 'de-DE'],
  ['zh_Hans_CN', undefined, 'zh-Hans-CN'],
  ['zh-Hant_TW', undefined, 'zh-Hant-TW'],
  ['iw_IL', undefined, 'he-IL'],
  ['no_NO', undefined, 'nb-NO'],
  ['zh_TW_#Hant', undefined, 'zh-Hant-TW'],
  ['no_NO_NY', undefined, 'nn-NO'],
  ['ja_JP_JP_#u-ca-japanese', undefined, 'ja-JP'],
  ['th_TH_TH', undefined, 'th-TH'],
  ['sr__#Latn', undefined, 'sr-Latn'],
  ['sr_RS_#Latn', undefined, 'sr-Latn-RS'],
  ['en_US_#u-mu-celsius', undefined, 'en-US'],
  ['zh_CN_#Hans_u-nu-latn', undefined, 'zh-Hans-CN'],
  ['ca_ES_VALENCIA', undefined, 'ca-ES-valencia'],
  ['en_US@calendar=gregorian', undefined, 'en-US'],
  ['de_DE.UTF-8', undefined, 'de-DE'],
  ['en_US_POSIX', undefined, 'en-US'],
  ['sr_RS@latin', undefined, undefined],
  [' de ', undefined, 'de'],
  // Tags that name no language.
  ['und', undefined, undefined],
  ['und-US', undefined, undefined],
  ['mul', undefined, undefined],
  ['zxx', undefined, undefined],
  ['root', undefined, undefined],
  ['C', undefined, undefined],
  ['POSIX', undefined, undefined],
  ['german', undefined, undefined],
  ['german-DE', undefined, undefined],
  ['jp', undefined, undefined],
  ['cz', undefined, undefined],
  ['tlh', undefined, undefined],
  ['tlh-Latn', 'tlh-Latn', 'tlh-Latn'],
  // Garbage.
  ['', undefined, undefined],
  ['-', undefined, undefined],
  ['_', undefined, undefined],
  ['#', undefined, undefined],
  ['@', undefined, undefined],
  ['de\0', undefined, undefined],
  ['d\u00e9', undefined, undefined],
  ['\u{1F1E9}\u{1F1EA}', undefined, undefined],
  ['\ud83c', undefined, undefined],
  ['__proto__', undefined, undefined],
  ['constructor', undefined, undefined],
  ['de--AT', undefined, undefined],
  ['x'.repeat(1_000_000), undefined, undefined],
  [`de${'-abcdefgh'.repeat(100_000)}`, undefined, undefined],
  ['@'.repeat(1_000_000), undefined, undefined],
]

/** Variants, the tag of a person, and the variant that fits. Undefined: the default content. */
const MATCHES: readonly [variants: string, tag: string, variant: string | undefined][] = [
  ['de fr', 'de', 'de'],
  ['de fr', 'de-AT', 'de'],
  ['de de-AT', 'de-AT', 'de-AT'],
  ['de de-AT', 'de-CH', 'de'],
  ['de-DE', 'de', 'de-DE'],
  ['de-DE', 'de-AT', undefined],
  ['de fr', 'is', undefined],
  ['en', 'is', undefined],
  ['en', 'und', undefined],
  ['en', 'und-US', undefined],
  ['DE', 'de', 'DE'],
  ['de', 'de-u-nu-latn', 'de'],
  ['de', 'de-1901', 'de'],
  ['de', 'nds', undefined],
  ['de', 'gsw-CH', undefined],
  // Chinese is two scripts.
  ['zh', 'zh-TW', undefined],
  ['zh', 'zh-HK', undefined],
  ['zh', 'zh-Hant', undefined],
  ['zh zh-Hant', 'zh-TW', 'zh-Hant'],
  ['zh zh-Hant', 'zh_HK', 'zh-Hant'],
  ['zh zh-Hant', 'zh-CN', 'zh'],
  ['zh zh-Hant', 'zh-SG', 'zh'],
  ['zh-Hans zh-Hant', 'zh', 'zh-Hans'],
  ['zh-Hans zh-Hant zh-HK', 'zh-HK', 'zh-HK'],
  ['zh-TW', 'zh-Hans-TW', undefined],
  ['zh-TW', 'zh-Hant-TW', 'zh-TW'],
  ['zh-TW', 'zh-HK', undefined],
  ['zh-Hant-TW', 'zh-TW', 'zh-Hant-TW'],
  ['zh-CN', 'zh-Hans', 'zh-CN'],
  ['zh', 'yue', undefined],
  ['zh', 'cmn-Hans-CN', 'zh'],
  // So are Serbian and others, some by region.
  ['sr', 'sr-Latn', undefined],
  ['sr', 'sr-RS', 'sr'],
  ['sr', 'sr-ME', undefined],
  ['sr sr-Latn', 'sr-ME', 'sr-Latn'],
  ['sr-Latn', 'sr', undefined],
  ['sr-Latn', 'sh', 'sr-Latn'],
  ['az', 'az-IR', undefined],
  ['pa', 'pa-PK', undefined],
  ['hi', 'hi-Latn', undefined],
  ['uz', 'uz-Cyrl', undefined],
  // A region takes the language, and no other region.
  ['pt pt-BR', 'pt-PT', 'pt'],
  ['pt-BR', 'pt-PT', undefined],
  ['pt-BR', 'pt', 'pt-BR'],
  ['pt pt-BR', 'pt-BR', 'pt-BR'],
  ['en en-GB', 'en-AU', 'en'],
  ['es es-419', 'es-MX', 'es'],
  // Former codes, on both sides.
  ['he', 'iw', 'he'],
  ['he', 'iw_IL', 'he'],
  ['iw', 'he-IL', 'iw'],
  ['id', 'in-ID', 'id'],
  ['in', 'id', 'in'],
  ['nb', 'no', 'nb'],
  ['no', 'nb-NO', 'no'],
  ['nb', 'nn', undefined],
  ['fil', 'tl-PH', 'fil'],
  // Variant subtags.
  ['ca ca-valencia', 'ca-ES-valencia', 'ca-valencia'],
  ['ca ca-valencia', 'ca-ES', 'ca'],
  ['ca-valencia', 'ca', undefined],
  ['ca', 'ca-valencia', 'ca'],
  ['ca ca-ES', 'ca-ES-valencia', 'ca-ES'],
  ['tlh-Latn', 'tlh-Latn', 'tlh-Latn'],
  ['__proto__', '__proto__', undefined],
  ['', 'de', undefined],
]

/** A tag in the name of a test. */
const shown = (tag: string) => JSON.stringify(tag.length > 40 ? `${tag.slice(0, 20)}… (${tag.length})` : tag)

describe('the tag of a language', () => {
  for (const [given, strict, ofDevice] of TAGS) {
    it(`of ${shown(given)} is ${strict ?? 'none'}, from a device ${ofDevice ?? 'none'}`, () => {
      expect(canonicalTag(given)).to.equal(strict)
      expect(tagOfLocale(given)).to.equal(ofDevice)
    })
  }

  it('is its own canonical form', () => {
    for (const [, , tag] of TAGS) if (tag !== undefined) expect(canonicalTag(tag), tag).to.equal(tag)
  })
})

describe('the variant for a tag', () => {
  for (const [variants, tag, variant] of MATCHES) {
    it(`among ${variants || 'none'} for ${tag} is ${variant ?? 'the default'}`, () => {
      const match = languageMatcher(variants.split(' '))
      expect(match([tag])).to.equal(variant)
      expect(match([tag]), 'as remembered').to.equal(variant)
    })
  }

  it('is the one that the handbook and the decision name', () => {
    const ROOT = join(import.meta.dirname, '../../..')
    const rowsOf = (page: string, row: RegExp) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(row)].map(([, variants, tag, answer]) => ({
        variants: variants!.replaceAll('`', '').split(', '),
        tag: tag!,
        answer: answer === 'default' ? undefined : answer!.replaceAll('`', ''),
      }))
    const rows = [
      ...rowsOf('docs/languages.md', /^\| (`.+?`) \| `(.+?)` \| (\S+) \|/gm),
      ...rowsOf('docs/decisions/0100-languages.md', /^\| (`.+?`) \| `(.+?)` \| \S+ \| \S+ \| (\S+) \|$/gm),
    ]
    expect(rows).to.have.length.above(30)
    for (const { variants, tag, answer } of rows) {
      expect(languageMatcher(variants)([tag]), `${tag} of ${variants.join()}`).to.equal(answer)
    }
  })

  it('is chosen by the first tag of the chain that is one, also when it fits none', () => {
    const match = languageMatcher(['de', 'fr'])
    expect(match(['fr', 'de'])).to.equal('fr')
    expect(match([null, undefined, '', 'german', 'jp', 'fr_CA', 'de'])).to.equal('fr')
    expect(match(['en', 'de'])).to.equal(undefined)
    expect(match([])).to.equal(undefined)
    expect(match([null, 'C', 'root'])).to.equal(undefined)
  })

  it('does not depend on what was asked before, however many tags were', () => {
    const match = languageMatcher(['de', 'zh-Hant'])
    for (let i = 0; i < 2500; i += 1) {
      expect(match([`de-x-a${i}`])).to.equal('de')
      expect(match([`nonsense ${i}`, 'zh-TW'])).to.equal('zh-Hant')
    }
    expect(match(['x'.repeat(1_000_000), 'de-AT'])).to.equal('de')
  })
})

describe('the tags of variants', () => {
  it('are good when each names a language of its own', () => {
    expect(judgeVariants([])).to.deep.equal([])
    expect(judgeVariants(['de', 'de-AT', 'pt', 'pt-BR', 'zh', 'zh-Hant', 'ca-valencia', 'iw'])).to.deep.equal([])
  })

  it('are refused twice in whatever spelling, naming the first', () => {
    const doubled = (tag: string, first: string) => ({
      tag,
      says: `is the same language as ${first}: keep one of them`,
    })
    expect(judgeVariants(['de', 'DE', 'iw', 'he', 'no', 'nb', 'nb-NO'])).to.deep.equal([
      doubled('DE', 'de'),
      doubled('he', 'iw'),
      doubled('nb', 'no'),
    ])
  })

  it('are refused with underscores or extensions, naming the tag that is meant', () => {
    const plain = (tag: string, meant: string) => ({
      tag,
      says: `must be a language tag without underscores, extensions and private use: ${meant}`,
    })
    expect(judgeVariants(['zh_Hant', 'de-u-nu-latn', 'fr-x-mine', 'de_DE.UTF-8'])).to.deep.equal([
      plain('zh_Hant', 'zh-Hant'),
      plain('de-u-nu-latn', 'de'),
      plain('fr-x-mine', 'fr'),
      plain('de_DE.UTF-8', 'de-DE'),
    ])
  })

  it('are refused when they name no language, with examples', () => {
    const tags = ['german', 'jp', 'und', 'x-mine', 'default', '', 'de\0', '\u{1F1E9}\u{1F1EA}', 'x'.repeat(1_000_000)]
    const says =
      'must be the tag of a language, such as de, pt-BR or zh-Hant: the code of the language (ja), not of a country (jp)'
    expect(judgeVariants(tags)).to.deep.equal(tags.map((tag) => ({ tag, says })))
  })

  it('are at most forty', () => {
    const codes = 'de fr es it nl pl cs sk sl hr bs sq el tr ru uk be bg mk ro hu fi et lv lt sv da nb nn is'
    const tags = `${codes} ga cy eu gl ca pt mt lb fo se`.split(' ')
    expect(tags).to.have.length(MAX_VARIANTS)
    expect(judgeVariants(tags)).to.deep.equal([])
    expect(judgeVariants([...tags, 'ja', 'ko'])).to.deep.equal([
      { tag: null, says: 'must have at most 40 languages, and has 42' },
    ])
  })
})
