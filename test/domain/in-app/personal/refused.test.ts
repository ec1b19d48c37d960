import { expect } from 'chai'
import type { Tag } from '../../../../src/domain/templates/types.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { accept, addUser } from '../../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const TAGS: Tag[] = [
  { title: 'Title', type: 'text', required: true },
  { title: 'Price', type: 'number', required: false, default: 1 },
  { title: 'Link', type: 'url', required: false, default: 'https://shop.example/' },
  { title: 'Path', type: 'text', required: false, default: '' },
]

const TOP = (key: string) => [`stands in the wrong place: ${key} belongs at the top of the request`]
const CONTENT = { Title: 'T' }

onEachDatabase('a personalised in-app message that is refused', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addUser(test, 'ann')
    await test.program.inTransaction((tx) =>
      tx.templates.create(test.first.id, {
        uid: 'offer',
        content: {
          ver: 1,
          frame: {
            type: 'alert',
            nodes: [
              { type: 'heading', text: '{{Title}}' },
              { type: 'text', text: '{{Price}}' },
              { type: 'button', text: 'Open', actions: [{ type: 'openUrl', data: { url: '{{Link}}{{Path}}' } }] },
            ],
          },
        },
        tags: TAGS,
        sample: {},
      }),
    )
  })
  afterEach(() => test.close())

  async function refusal(extra: object): Promise<Record<string, readonly string[]>> {
    try {
      await accept(test, { template: 'offer', content: CONTENT, ...extra })
    } catch (error) {
      if (isAppError(error) && error.details.fields) return error.details.fields
      throw error
    }
    return {}
  }

  const inbox = { title: 'T', subtitle: '' }
  const cases: readonly [name: string, extra: object, fields: Record<string, RegExp | readonly string[]>][] = [
    [
      'a syntax error in a tag',
      { personalize: {}, content: { Title: 'a\n{{ x | }}' } },
      { 'content.Title': /^line 2, column/ },
    ],
    [
      'metadata of single users',
      { personalize: {}, content: { Title: '{{ meta.order }}' } },
      { 'content.Title': /there is no value “meta”/ },
    ],
    [
      'an address of an attribute',
      { personalize: {}, content: { Title: 'T', Link: '{{ user.attributes.link }}' } },
      { 'content.Link': /a whole address may come only from/ },
    ],
    [
      'a syntax error in a language',
      { personalize: {}, languages: { de: { Title: '{{ a' } } },
      { 'languages.de.Title': /^line 1, column 1/ },
    ],
    ['a syntax error in data', { personalize: {}, data: { a: [{ b: '{{ user }}' }] } }, { 'data.a[0].b': /^line 1/ }],
    [
      'a syntax error in the inbox entry',
      { personalize: {}, inbox: { ...inbox, title: '{{ foo.x }}' } },
      { 'inbox.title': /there is no value “foo”/ },
    ],
    [
      'a syntax error in the push',
      { personalize: {}, notification: { title: '{{ foo.x }}', message: '{{ meta.a }}' } },
      { 'notification.title': /“foo”/, 'notification.message': /“meta”/ },
    ],
    [
      'a syntax error in a language of the push',
      {
        personalize: {},
        notification: { title: 'T', message: 'M', languages: { de: { title: '{{', message: '{{ x }}' } } },
      },
      { 'notification.languages.de.title': /^line 1/, 'notification.languages.de.message': /“x”/ },
    ],
    [
      'an unknown look-up',
      { personalize: {}, content: { Title: '{{ lookup.product.name }}' } },
      { 'content.Title': /there is no look-up “product”/ },
    ],
    [
      'a look-up in no table',
      { personalize: {}, lookup: { p: { table: '9_x', by: 'sku', value: 'a' } } },
      { 'lookup.p.table': /must be the alias of a data table/ },
    ],
    [
      'a look-up without personalize',
      { lookup: { p: { table: '9_x', by: 'sku', value: 'a' } } },
      { lookup: /give personalize as well/ },
    ],
    ['personalize that is no object', { personalize: true }, { personalize: /./ }],
    [
      'an unknown key in personalize',
      { personalize: { missing: 'x', other: 1 } },
      { 'personalize.missing': /./, 'personalize.other': /./ },
    ],
    [
      'languages in content',
      { content: { Title: 'T', languages: {}, personalize: {} } },
      { 'content.languages': TOP('languages'), 'content.personalize': TOP('personalize') },
    ],
    [
      'a value of no tag that is called like a key of a schedule',
      { content: { Title: 'T', startsAt: '2026-01-01 09:00' } },
      { 'content.startsAt': /is not a tag of this template/ },
    ],
    [
      'keys in other blocks',
      { notification: { title: 'T', message: 'M', personalize: {} }, inbox: { ...inbox, lookup: {} } },
      { 'notification.personalize': TOP('personalize'), 'inbox.lookup': TOP('lookup') },
    ],
    [
      'a tag that is no language',
      { languages: { german: { Title: 'T' } } },
      { 'languages.german': /must be the tag of a language/ },
    ],
    ['a doubled language', { languages: { iw: {}, he: {} } }, { 'languages.he': /is the same language as iw/ }],
    [
      'a value of no tag in a language',
      { languages: { de: { Titel: 'T' } } },
      { 'languages.de.Titel': /is not a tag of this template/ },
    ],
    [
      'a value of the wrong type in a language',
      { languages: { de: { Price: 'x' } } },
      { 'languages.de.Price': /must be a number/ },
    ],
    [
      'a language of the inbox entry alone',
      { inbox: { ...inbox, languages: { de: { title: 'T' } } } },
      { 'inbox.languages.de': /must also be one of languages/ },
    ],
    [
      'braces in addresses of a plain message',
      { inbox: { ...inbox, imageUrl: 'https://{{ user.identifier }}' } },
      { 'inbox.imageUrl': /./ },
    ],
    [
      'braces in the value of an address of a plain message',
      { content: { Title: 'T', Link: 'https://x.example/{{ a }}' } },
      { 'content.Link': /must be an absolute http or https URL/ },
    ],
    [
      'a constant that is no number',
      { personalize: {}, content: { Title: 'T', Price: 'x' } },
      { 'content.Price': /must be a number/ },
    ],
    [
      'our keys where pictures of the push stand',
      {
        notification: {
          title: 'T',
          message: 'M',
          ios: { languages: {}, media: { lookup: {} } },
          android: { personalize: {} },
        },
      },
      {
        'notification.ios.languages': TOP('languages'),
        'notification.ios.media.lookup': TOP('lookup'),
        'notification.android.personalize': TOP('personalize'),
      },
    ],
    [
      'an attribute behind a host that has not ended',
      {
        personalize: {},
        content: { Title: 'T', Link: 'https://shop.example', Path: '{{ user.attributes.x }}' },
        languages: { de: { Link: 'https://laden.example/' } },
      },
      { 'content.Path': /decide to which host/ },
    ],
    [
      'a language that JavaScript would take for something else',
      { languages: Object.fromEntries([['__proto__', 5]]) },
      { 'languages.__proto__': /must be the tag of a language/ },
    ],
    [
      'texts that are too large to be kept even when empty',
      {
        personalize: {},
        content: { Title: `{{ user.identifier }}${'x'.repeat(1900)}` },
        data: { a: `{{ user.identifier }}${'x'.repeat(3000)}` },
      },
      { 'data.a': /4096 are kept for each user/ },
    ],
    [
      'a push that is too large even when empty',
      { personalize: {}, notification: { title: 'T', message: `{{ user.identifier }}${'x'.repeat(5000)}` } },
      { notification: /is too large for ios/ },
    ],
  ]

  for (const [name, extra, fields] of cases) {
    it(`says where: ${name}`, async () => {
      const found = await refusal(extra)
      expect(Object.keys(found).sort(), JSON.stringify(found)).to.deep.equal(Object.keys(fields).sort())
      for (const [path, wanted] of Object.entries(fields)) {
        if (Array.isArray(wanted)) expect(found[path]).to.deep.equal(wanted)
        else expect(found[path]!.join('\n')).to.match(wanted as RegExp)
      }
    })
  }
})
