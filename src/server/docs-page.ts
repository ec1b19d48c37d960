import { createHash } from 'node:crypto'
import { Html, html } from '../platform/html.ts'
import type { JsonSchema } from '../platform/parse.ts'
import { type BodyField, fieldsOf, typeText } from './docs-page-fields.ts'
import { STYLE } from './docs-page-style.ts'
import type { OpenApiDocument, OpenApiResponse, Operation, Parameter, Reference } from './openapi-types.ts'

/**
 * What a browser may do with the page: use its one style, whose digest is named here, and nothing else. No script, no
 * address of anybody, no frame.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The whole interface on one page, made of the document alone. Pure. */
export function renderDocs(document: OpenApiDocument): string {
  const sections = document.tags.map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} HTTP interface</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>${document.info.summary}</p>
${document.info.description.split('\n\n').map((paragraph) => html`<p class="quiet">${withCode(paragraph)}</p>`)}
<p><a href="/openapi.json">openapi.json</a> is the same for machines.</p>
<dl class="keys">${Object.entries(document.components.securitySchemes).map(
    ([name, { description }]) => html`<dt>${keyTag([name, []])}</dt><dd>${String(description)}</dd>`,
  )}</dl>
<nav>${sections.map(({ name, operations }) => html`<a href="#${name}">${name} <small>${operations.length}</small></a>`)}</nav>
</header>
<main>
${sections.map(
  ({ name, description, operations }) => html`<section id="${name}">
<h2>${name} <small>${description}</small></h2>
${operations.map((operation) => renderOperation(document, operation))}
</section>
`,
)}</main>
</body>
</html>
`
  return page.text
}

interface Placed extends Operation {
  method: string
  path: string
}

function operationsOf(document: OpenApiDocument, tag: string): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag as Operation['tags'][0]))
      .map(([method, operation]) => ({ ...operation, method, path })),
  )
}

function renderOperation(document: OpenApiDocument, operation: Placed): Html {
  const { operationId, method, path, summary, security } = operation
  const parameters = (operation.parameters ?? []).map((one) => resolve(document.components.parameters, one))
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  return html`<details id="${operationId}">
<summary><b class="method ${method}">${method}</b><code class="path">${withMarks(path)}</code><span class="what">${summary}</span>${security.flatMap((scheme) => Object.entries(scheme).map(keyTag))}</summary>
${parameters.length > 0 && renderFields('Parameters', parameters.map(fieldOfParameter))}${bodies.map(([type, { schema }]) => renderBody(type, schema as JsonSchema))}
<h3>Answers</h3>
<table><tbody>${Object.entries(operation.responses).map(
    ([status, one]) =>
      html`<tr><td><b class="status s${status.charAt(0)}">${status === 'default' ? 'else' : status}</b></td><td>${withCode(resolve(document.components.responses, one).description)}</td></tr>`,
  )}</tbody></table>
${Object.values(operation.responses).flatMap((one) => renderExample(resolve(document.components.responses, one)))}</details>
`
}

function renderExample({ content }: OpenApiResponse): Html[] {
  const example = content?.['application/json']?.example
  return example === undefined ? [] : [html`<h3>For example</h3><pre>${JSON.stringify(example, null, 2)}</pre>`]
}

function renderBody(media: string, schema: JsonSchema): Html {
  const fields = fieldsOf(schema)
  const kind = media === 'application/json' ? 'Body' : `Body (${media})`
  const title = schema.type === 'object' ? kind : `${kind}: ${typeText(schema)}`
  if (fields.length > 0) return renderFields(title, fields)
  return html`<h3>${title}</h3><p class="quiet">Any JSON ${schema.type === 'object' ? 'object' : 'value'}.</p>`
}

function renderFields(title: string, fields: BodyField[]): Html {
  return html`<h3>${title}</h3>
<table><tbody>${fields.map(
    ({ name, type, required, notes }) =>
      html`<tr><td><code>${name}</code>${required && html` <b class="required">required</b>`}</td><td>${type}</td><td class="quiet">${withCode(notes)}</td></tr>`,
  )}</tbody></table>`
}

function fieldOfParameter({ name, in: place, required, schema, description }: Parameter): BodyField {
  const [field] = fieldsOf({ type: 'object', properties: { [name]: schema }, required: required ? [name] : [] })
  return { ...field!, notes: [description, `in the ${place}`, field!.notes].filter(Boolean).join('; ') }
}

function resolve<T extends object>(shared: Record<string, T>, one: T | Reference): T {
  return '$ref' in one ? shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)]! : one
}

const KEY_NAMES: Record<string, string> = { serverKey: 'server key', deviceKey: 'secret key', restKey: 'REST key' }

function keyTag([scheme, scopes]: [string, readonly string[]]): Html {
  return html`<span class="key ${scheme}">${[KEY_NAMES[scheme] ?? scheme, ...scopes].join(': ')}</span>`
}

/** `like this` -> <code> */
function withCode(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** {placeholders} of a path stand out. */
function withMarks(path: string): Html[] {
  return path.split(/(\{\w+\})/).map((part, i) => (i % 2 === 1 ? html`<i>${part}</i>` : html`${part}`))
}
