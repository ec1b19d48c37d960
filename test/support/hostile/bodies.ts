import { gzipSync } from 'node:zlib'

/** A body that costs a careless server far more than it costs the sender. */
export interface HostileBody {
  name: string
  type: string
  encoding?: string
  bytes: Buffer
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** `part(0) + part(1) + …` of `size` characters at most, between `open` and `close`. */
function filled(size: number, open: string, part: (i: number) => string, close: string): string {
  let text = open
  for (let i = 0; ; i++) {
    const next = part(i)
    if (text.length + next.length + close.length > size) return text + close
    text += next
  }
}

const comma = (i: number) => (i === 0 ? '' : ',')
const listOf = (size: number, item: string) => filled(size, '[', (i) => comma(i) + item, ']')
const objectOf = (size: number, member: (i: number) => string) => filled(size, '{', (i) => comma(i) + member(i), '}')

/** A field of a schema of which every part is wrong: as many items as fit. */
const inField = (name: string, size: number, item: string) => `{"${name}":${listOf(size - name.length - 5, item)}}`

/** Texts of JSON, or nearly, of about `size` characters. */
function jsonTexts(size: number, fields: readonly string[]): [name: string, text: string][] {
  const deep = Math.floor(size / 2)
  return [
    ['nothing but brackets', '['.repeat(size)],
    ['nesting that closes', '['.repeat(deep) + ']'.repeat(deep)],
    ['many nestings of 60 levels', listOf(size, '['.repeat(60) + ']'.repeat(60))],
    ['nested objects', '{"a":'.repeat(Math.floor(size / 5))],
    ['unknown keys', objectOf(size, (i) => `"k${i}":1`)],
    ['long unknown keys', objectOf(size, (i) => `"${'k'.repeat(200)}${i}":1`)],
    ['the same key again and again', objectOf(size, () => '"k":1')],
    ['keys that are numbers', objectOf(size, (i) => `"${i * 7919}":1`)],
    ['keys of Object.prototype', objectOf(size, (i) => `"${['constructor', '__proto__', 'toString'][i % 3]}":{}`)],
    ['one long text', `{"a":"${'a'.repeat(size - 8)}"}`],
    ['one long text of escapes', `{"a":"${'\\u0041'.repeat(Math.floor(size / 6))}"}`],
    ['escaped NUL characters', `{"a":"${'\\u0000'.repeat(Math.floor(size / 6))}"}`],
    ['lone surrogates', objectOf(size, (i) => `"k${i}":"\\ud800"`)],
    ['a long number', `{"a":${'9'.repeat(size - 6)}}`],
    ['a long fraction', `[0.${'1'.repeat(size - 4)}]`],
    ['many numbers', listOf(size, '1e308')],
    ['many small items', listOf(size, '1')],
    ['many empty objects', listOf(size, '{}')],
    ['many empty lists', listOf(size, '[]')],
    ['many nulls', listOf(size, 'null')],
    ['blanks', ' '.repeat(size)],
    ['blanks before a value', `${' '.repeat(size - 2)}{}`],
    ['an error at the end', `${listOf(size - 1, '1').slice(0, -1)}x`],
    ['a text that never ends', `["${'a'.repeat(size - 2)}`],
    ['a text of backslashes', `["${'\\'.repeat(size - 2)}`],
    ['a comma too many', `${listOf(size - 1, '{"a":1}').slice(0, -1)},]`],
    ['events that are wrong', listOf(size, '{"type":1}')],
    [
      'events with unknown types',
      filled(size, '[', (i) => `${comma(i)}{"type":"t${i}","uuid":"u${i}","timestamp":1}`, ']'),
    ],
    [
      'events of one type of ours',
      filled(
        size,
        '[',
        (i) => `${comma(i)}{"type":"k.push.opened","uuid":"u${i}","timestamp":1,"data":{"id":${i}}}`,
        ']',
      ),
    ],
    ...fields.flatMap((name): [string, string][] => [
      [`many wrong items in ${name}`, inField(name, size, '{"a":1}')],
      [`many numbers in ${name}`, inField(name, size, '1')],
      [`many texts in ${name}`, inField(name, size, '"a"')],
      [`many nulls in ${name}`, inField(name, size, 'null')],
      [`a long text in ${name}`, `{"${name}":"${'a'.repeat(size - name.length - 8)}"}`],
      [
        `a text with one dot and one at in ${name}`,
        `{"${name}":"${'a@'.repeat(Math.floor((size - name.length - 8) / 2))}"}`,
      ],
      [`unknown keys in ${name}`, `{"${name}":${objectOf(size - name.length - 5, (i) => `"k${i}":1`)}}`],
      [`lists in ${name}`, inField(name, size, '[[[[]]]]')],
    ]),
  ]
}

/** Bodies of about `size` bytes. `fields`: names of fields that some schema has. */
export function hostileBodies(size: number, fields: readonly string[]): HostileBody[] {
  const field = (i: number) => (i === 0 ? '' : '&')
  const forms: [string, string][] = [
    ['a form of many fields', filled(size, '', (i) => `${field(i)}k${i}=1`, '')],
    ['a form of one field again and again', filled(size, '', (i) => `${field(i)}k[]=1`, '')],
    ['a form of deep fields', filled(size, '', (i) => `${field(i)}k[a][b][c][d${i}]=1`, '')],
    ['a form with a long name', `k${'[a]'.repeat(Math.floor(size / 3))}=1`],
    ['a form of open brackets', '['.repeat(size)],
    ['a form of percent signs', `k=${'%41'.repeat(Math.floor(size / 3))}`],
    ['a form of ampersands', '&'.repeat(size)],
    ['a form of equals signs', '='.repeat(size)],
  ]
  const part = (i: number) => `--b\r\nContent-Disposition: form-data; name="p${i}"\r\n\r\n1\r\n`
  const multipart: [string, string][] = [
    ['multipart of many parts', filled(size, '', part, '--b--\r\n')],
    ['multipart of boundaries', '--b'.repeat(Math.floor(size / 3))],
    ['multipart of line breaks', `--b\r\n${'\r\n'.repeat(Math.floor(size / 2) - 5)}`],
    ['multipart with a long head', `--b\r\ncontent-disposition:${' ;'.repeat(Math.floor(size / 2))}\r\n\r\n1\r\n--b--`],
  ]
  return [
    ...jsonTexts(size, fields).map(([name, text]) => ({ name, type: JSON_TYPE, bytes: Buffer.from(text) })),
    ...forms.map(([name, text]) => ({ name, type: FORM_TYPE, bytes: Buffer.from(text) })),
    ...multipart.map(([name, text]) => ({ name, type: 'multipart/form-data; boundary=b', bytes: Buffer.from(text) })),
    { name: 'bytes that are no text', type: JSON_TYPE, bytes: Buffer.alloc(size, 0xff) },
    {
      name: 'one wrong byte at the end',
      type: JSON_TYPE,
      bytes: Buffer.concat([Buffer.alloc(size - 1, 0x20), Buffer.of(0xff)]),
    },
    { name: 'no known type', type: 'text/plain', bytes: Buffer.alloc(size, 0x61) },
  ]
}

/** Bodies that are small because they are packed. */
export function packedBodies(unpacked: number): HostileBody[] {
  const packed = (name: string, bytes: Buffer, type = JSON_TYPE): HostileBody => ({
    name,
    type,
    encoding: 'gzip',
    bytes,
  })
  const zip = (text: string) => gzipSync(text, { level: 9 })
  const texts: [string, string][] = [
    ['one long text', `{"STACK_TRACE":"${'a'.repeat(unpacked - 20)}"}`],
    ['a stack of many lines', `{"STACK_TRACE":"${'\\n\\tat a.b.C.d(E.java:1)'.repeat(Math.floor(unpacked / 24))}"}`],
    ['many small items', listOf(unpacked, '1')],
    ['many empty objects', listOf(unpacked, '{}')],
    ['unknown keys', objectOf(unpacked, (i) => `"k${i}":1`)],
    ['brackets', '['.repeat(unpacked)],
    ['zeros', '\0'.repeat(unpacked)],
    ['blanks', ' '.repeat(unpacked)],
    ['no JSON', 'a'.repeat(unpacked)],
    ['no JSON, of many lines', 'a\n'.repeat(unpacked / 2)],
  ]
  const part = zip('a'.repeat(10_000))
  return [
    ...texts.map(([name, text]) => packed(`${name}, packed`, zip(text))),
    packed('far more than the limit, packed', gzipSync(Buffer.alloc(64 * unpacked), { level: 9 })),
    packed('many members', Buffer.concat(Array.from({ length: Math.floor(unpacked / 10_000) }, () => part))),
    packed('many empty members', Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')))),
    packed('packed twice', gzipSync(zip('a'.repeat(unpacked)))),
    packed('no gzip', Buffer.alloc(10_000, 0x61)),
    packed('gzip that breaks off', zip(listOf(unpacked, '1')).subarray(0, -20)),
  ]
}
