import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assetPath } from '../../platform/assets.ts'

/** What the renderer page is made of, ready to be served or put into one document. */
export interface RendererFiles {
  script: PageFile
  style: PageFile
  /** The page itself; `{{style}}` and `{{script}}` stand for the addresses of the two. */
  index: string
}

export interface PageFile {
  /** `script.0a1b2c3d4e5f.js`: with a digest of the text, so that a name never stands for anything else. */
  name: string
  type: string
  text: string
}

/** In this order, as one script: an import of modules would need the name, with its digest, of every one of them. */
const PARTS = ['colors', 'words', 'host', 'nodes', 'frame', 'main']

let loaded: RendererFiles | undefined

/** Reads the files of the page when somebody first asks for one; the start does not wait for them. */
export function rendererFiles(): RendererFiles {
  return (loaded ??= {
    script: file('script', 'js', 'text/javascript', joinModules(PARTS.map((part) => read(`${part}.js`)))),
    style: file('style', 'css', 'text/css', shortenStyle(read('style.css'))),
    index: read('index.html'),
  })
}

/** The file of that name that comes with the page. */
export function read(name: string): string {
  return readFileSync(join(assetPath('server/renderer/page'), name), 'utf8')
}

/** The first 48 bits of a SHA-256, as hexadecimal digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function file(stem: string, extension: string, type: string, text: string): PageFile {
  return { name: `${stem}.${digestOf(text)}.${extension}`, type: `${type}; charset=utf-8`, text }
}

/**
 * Modules as one plain script, for web views that know no modules. Ours import each other by name only and export declarations:
 * without those words they can stand one after another in one function.
 */
function joinModules(modules: readonly string[]): string {
  const bodies = modules.map((text) => text.replace(/^import [^']*'[^']*'\n/gm, '').replace(/^export /gm, ''))
  return `(function () {\n'use strict'\n${closeUp(shorten(bodies.join('\n')))}})()\n`
}

/** Leaves out the spaces around operators, not those inside of texts, and last commas: the oldest web views know none after arguments. */
function closeUp(script: string): string {
  return script
    .replace(/,\n(?=[)\]}])/g, '\n')
    .replace(
      /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`| ?([=!]==|=>|&&|\|\||[=,?:{}<>*]) ?/g,
      (all, operator) => operator ?? all,
    )
}

/** Leaves out comments on lines of their own, indentation and empty lines: a third of everything. */
function shorten(text: string): string {
  return text
    .replace(/^\s*\/\*[^]*?\*\/$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\n\s+/g, '\n')
    .trimStart()
}

/** A style sheet without the spaces and naughts that mean nothing. Ours has none of those in texts. */
function shortenStyle(text: string): string {
  return shorten(text)
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
    .replace(/\b0(?=\.\d)/g, '')
}
