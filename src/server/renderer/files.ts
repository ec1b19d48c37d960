import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assetPath } from '../../platform/files/assets.ts'

/** The parts of the renderer page, ready to be served or inlined. */
export interface RendererFiles {
  script: PageFile
  style: PageFile
  /** The page itself; `{{style}}` and `{{script}}` stand for the addresses of the two. */
  index: string
}

export interface PageFile {
  /** `script.0a1b2c3d4e5f.js`: with a digest of the text, so that a name always has the same content. */
  name: string
  type: string
  text: string
}

/** Joined in this order into one script: imports would need the digest names of all modules. */
const PARTS = ['colors', 'words', 'host', 'nodes', 'frame', 'main']

let loaded: RendererFiles | undefined

/** Reads the files on first use, so that the start does not wait for them. */
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
 * Joins modules into one plain script, for web views without module support. Ours only import names from each other
 * and export declarations, so without these keywords they can be concatenated in one function.
 */
function joinModules(modules: readonly string[]): string {
  const bodies = modules.map((text) => text.replace(/^import [^']*'[^']*'\n/gm, '').replace(/^export /gm, ''))
  return `(function () {\n'use strict'\n${closeUp(shorten(bodies.join('\n')))}})()\n`
}

/**
 * Removes spaces around operators outside strings, and trailing commas, which the oldest web views reject after
 * arguments.
 */
function closeUp(script: string): string {
  return script
    .replace(/,\n(?=[)\]}])/g, '\n')
    .replace(
      /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`| ?([=!]==|=>|&&|\|\||[=,?:{}<>*]) ?/g,
      (all, operator) => operator ?? all,
    )
}

/** Removes full-line comments, indentation and empty lines: a third of the text. */
function shorten(text: string): string {
  return text
    .replace(/^\s*\/\*[^]*?\*\/$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\n\s+/g, '\n')
    .trimStart()
}

/** Minifies the style sheet: spaces and leading zeros. Ours has neither inside strings. */
function shortenStyle(text: string): string {
  return shorten(text)
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
    .replace(/\b0(?=\.\d)/g, '')
}
