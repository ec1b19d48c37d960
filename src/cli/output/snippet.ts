import type { Snippet } from '../../present/snippets.ts'
import type { Output } from './output.ts'

/** Prints code to paste: what is needed besides, then each file under its name. */
export function showSnippet(out: Output, { label, about, page, files }: Snippet): void {
  out.line()
  out.line(`${label}: ${about} More: ${page}`)
  for (const { name, text } of files) {
    out.line()
    out.line(`# ${name}`)
    for (const line of text.split('\n')) out.line(line)
  }
}
