import { Html, hashSource, html } from '../../platform/text/html.ts'
import type { JsonSchema } from '../../platform/values/parse.ts'
import { ICON, MARK, WORDMARK } from '../../present/brand/mark.ts'
import type { Content, OpenApiDocument, OpenApiResponse, Operation, Parameter, Reference } from '../openapi/types.ts'
import { type BodyField, fieldsOf, typeText } from './fields.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

/**
 * The policy of the page: a browser may use its one style and its one script, whose digests are named here, ask this server where
 * somebody tries a request, and nothing else. No address of anybody, no frame.
 */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  `script-src ${hashSource(SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The whole interface on one page, made of the document alone. Pure. */
export function renderDocs(document: OpenApiDocument): string {
  const sections = document.tags
    .toSorted((a, b) => placeOf(a.name) - placeOf(b.name))
    .map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} HTTP interface</title>
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE)}</style>
</head>
<body>
<aside>
<a class="brand" href="/" aria-label="This server">${new Html(MARK + WORDMARK)}</a>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search operations, fields and schemas" autocomplete="off" hidden>
<nav aria-label="Areas">${sections.map(({ name, operations }) => html`<a href="#${name}">${name} <small>${operations.length}</small></a>`)}<a href="#schemas">schemas <small>${Object.keys(document.components.schemas).length}</small></a></nav>
</aside>
<div class="page">
<header>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>${document.info.summary}</p>
${document.info.description.split('\n\n').map((paragraph) => html`<p class="quiet">${withCode(paragraph)}</p>`)}
<p><a href="/openapi.json">openapi.json</a> is the same for machines.</p>
${renderFirst(sections.flatMap(({ operations }) => operations))}
<dl class="keys">${Object.entries(document.components.securitySchemes).map(
    ([name, { description }]) => html`<dt>${keyTag([name, []])}</dt><dd>${withCode(String(description))}</dd>`,
  )}</dl>
<p id="found" class="quiet" role="status"></p>
</header>
<main>
${sections.map(
  ({ name, description, operations }) => html`<section id="${name}">
<h2>${name} <small>${description}</small></h2>
${operations.filter(({ deprecated }) => !deprecated).map((operation) => renderOperation(document, operation))}
${
  operations.some(({ deprecated }) => deprecated) &&
  html`<h3>Earlier forms</h3>
`
}${operations.filter(({ deprecated }) => deprecated).map((operation) => renderOperation(document, operation))}
</section>
`,
)}<section id="schemas">
<h2>schemas <small>What bodies and answers are made of</small></h2>
${Object.entries(document.components.schemas).map(([name, schema]) => renderSchema(name, schema))}
</section>
</main>
</div>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`
  return page.text
}

/** Areas in the order in which people need them: what servers send with, what is around it, and the host of earlier forms last. */
const ORDER = ['messages', 'crm', 'events', 'links', 'data', 'operations', 'admin', 'push']

const placeOf = (area: string) => (ORDER.includes(area) ? ORDER.indexOf(area) : ORDER.length)

/** The calls that most servers begin with. */
const FIRST = [
  'postMessagesV2Notifications',
  'getMessagesV2NotificationsById',
  'putCrmV1UsersByUserIdAttributes',
  'postMessagesV1InAppMessages',
  'postLinksV1DeepLinks',
  'getMessagesV1Events',
]

function renderFirst(operations: readonly Placed[]): Html | false {
  const first = FIRST.flatMap((id) => operations.filter(({ operationId }) => operationId === id))
  return (
    first.length > 0 &&
    html`<h3 id="first">Begin with</h3>
<ul class="first">${first.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`
  )
}

interface Placed extends Operation {
  method: string
  path: string
}

function operationsOf(document: OpenApiDocument, tag: string): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method, path })),
  )
}

function renderOperation(document: OpenApiDocument, operation: Placed): Html {
  const { operationId, method, path, summary, description, deprecated, security } = operation
  const { components } = document
  const parameters = (operation.parameters ?? []).map((one) => resolve(components.parameters, one))
  const answers = Object.entries(operation.responses).map(
    ([status, one]) => [status, resolve(components.responses, one)] as const,
  )
  return html`<details id="${operationId}">
<summary><b class="method ${method}">${method}</b><code class="path">${withMarks(path)}</code><span class="what">${summary}</span>${deprecated && html`<span class="key old">earlier form</span>`}${security.flatMap((scheme) => Object.entries(scheme).map(keyTag))}</summary>
<p>${withCode(description)}</p>
${parameters.length > 0 && renderFields('Parameters', parameters.map(fieldOfParameter))}${Object.entries(operation.requestBody?.content ?? {}).map(([type, content]) => renderBody(document, type, content))}
${renderRequest(operation, parameters)}
<h3>Answers</h3>
<table><tbody>${answers.map(
    ([status, answer]) =>
      html`<tr><td><b class="status s${status.charAt(0)}">${status === 'default' ? 'else' : status}</b></td><td>${withCode(answer.description)}${renderHeaders(document, answer)}</td><td>${renderType(answer)}</td></tr>`,
  )}</tbody></table>
${answers.filter(([status]) => status.startsWith('2')).flatMap(([, answer]) => renderExample('Answer, for example', answer.content))}</details>
`
}

const CREDENTIALS: Record<string, string> = {
  serverKey: '$APPSVC_API_KEY:$APPSVC_SERVER_KEY',
  deviceKey: '$APPSVC_API_KEY:$APPSVC_SECRET_KEY',
  restKey: '$APPSVC_REST_KEY:',
}

/** The example of a request: as a command, and for the script of the page, which says it in other languages and sends it. */
function renderRequest(operation: Placed, parameters: readonly Parameter[]): Html {
  const call = callOf(operation, parameters)
  return html`<h3>Request, for example</h3><pre data-call="${JSON.stringify(call)}">${curlOf(call)}</pre>`
}

/** A request that somebody may send. */
interface Call {
  method: string
  /** Path and query. */
  path: string
  /** Name of the security scheme; absent for a request without a key. */
  key?: string | undefined
  /** Media type of the body; absent where there is none. */
  type?: string | undefined
  /** An example of the body. */
  body?: unknown
}

function callOf({ method, path, security, requestBody }: Placed, parameters: readonly Parameter[]): Call {
  const [media, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const exampleOf = (name: string, place: Parameter['in']) =>
    parameters.find((one) => one.name === name && one.in === place)?.example
  const filled = path.replace(/\{(\w+)\}/g, (all, name: string) => {
    const example = exampleOf(name, 'path')
    return example === undefined ? all : encodeURIComponent(textOf(example))
  })
  const needed = parameters.filter(({ in: place, name, required }) => place === 'query' && (required || PAGE.has(name)))
  const query = needed.map(({ name, example }) => `${name}=${encodeURIComponent(textOf(example ?? ''))}`).join('&')
  return {
    method: method.toUpperCase(),
    path: filled + (query && `?${query}`),
    key: Object.keys(security[0] ?? {})[0],
    type: media,
    body: content?.example,
  }
}

/** A command that makes the request, with the keys and the address in the variables of `apps create --env`. */
function curlOf({ method, path, key, type, body }: Call): string {
  const credentials = key && CREDENTIALS[key]
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    credentials && `-u "${credentials}"`,
    ...(type === undefined ? [] : bodyOf(type, body)),
    `"$APPSVC_URL${path}"`,
  ]
    .filter(Boolean)
    .join(' \\\n  ')
}

/** Parameters that a list asks for, also where the interface can do without: a search has no pages. */
const PAGE: ReadonlySet<string> = new Set(['currentPage', 'numberPerPage'])

/** Flags that send an example; of an upload, flags that send files. */
function bodyOf(media: string, example: unknown): (string | false)[] {
  // curl writes the type of an upload itself, with the boundary of its parts.
  if (media === 'multipart/form-data') return Object.keys(example ?? {}).map((name) => `-F '${name}=@${name}.csv'`)
  return [
    `-H 'Content-Type: ${media === '*/*' ? 'application/octet-stream' : media}'`,
    example !== undefined && `-d ${quoted(JSON.stringify(example))}`,
  ]
}

/** An example as it stands in an address. */
const textOf = (example: unknown) => (typeof example === 'string' ? example : JSON.stringify(example))

/** The text for a shell: in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The headers that an answer may have. */
function renderHeaders({ components }: OpenApiDocument, { headers = {} }: OpenApiResponse): Html[] {
  return Object.entries(headers).map(
    ([name, one]) =>
      html`<br><code>${name}</code> <span class="quiet">${withCode(resolve(components.headers, one).description)}</span>`,
  )
}

function renderType({ content = {} }: OpenApiResponse): Html[] {
  return Object.values(content).flatMap(({ schema }) => withLinks(typeText(schema as JsonSchema)))
}

function renderExample(title: string, content: Content | undefined): Html[] {
  const example = content?.['application/json']?.example
  return example === undefined ? [] : [html`<h3>${title}</h3><pre>${JSON.stringify(example, null, 2)}</pre>`]
}

function renderBody({ components }: OpenApiDocument, media: string, content: Content[string]): Html {
  const named = content.schema as JsonSchema
  const schema = resolve(components.schemas, named as JsonSchema | Reference)
  const fields = fieldsOf(schema)
  const title = media === 'application/json' ? 'Body' : `Body (${media})`
  const kind = html`<h3>${title}</h3><p>${withLinks(typeText(named))}</p>`
  const example = renderExample('Body, for example', { [media]: content })
  return fields.length > 0 ? html`${kind}${renderTable(fields)}${example}` : html`${kind}${example}`
}

function renderSchema(name: string, schema: JsonSchema): Html {
  const fields = fieldsOf(schema)
  const description = typeof schema.description === 'string' ? schema.description : ''
  return html`<details id="schema-${name}">
<summary><code class="path">${name}</code><span class="what">${withCode(description)}</span></summary>
${fields.length > 0 ? renderTable(fields) : html`<p class="quiet">${typeText(schema)}</p>`}</details>
`
}

function renderFields(title: string, fields: BodyField[]): Html {
  return html`<h3>${title}</h3>
${renderTable(fields)}`
}

function renderTable(fields: BodyField[]): Html {
  return html`<table><tbody>${fields.map(
    ({ name, type, required, notes }) =>
      html`<tr><td><code>${name}</code>${required && html` <b class="required">required</b>`}</td><td>${withLinks(type)}</td><td class="quiet">${withCode(notes)}</td></tr>`,
  )}</tbody></table>`
}

/** The text with a link for each name of a schema, which begins with a capital. */
function withLinks(text: string): Html[] {
  return text
    .split(/\b([A-Z]\w+)/)
    .map((part, i) => (i % 2 === 1 ? html`<a href="#schema-${part}">${part}</a>` : html`${part}`))
}

function fieldOfParameter({ name, in: place, required, schema, description, example }: Parameter): BodyField {
  const [field] = fieldsOf({ type: 'object', properties: { [name]: schema }, required: required ? [name] : [] })
  const notes = [
    description?.replace(/\.$/, ''),
    `in the ${place}`,
    field!.notes,
    example !== undefined && `for example \`${JSON.stringify(example)}\``,
  ]
  return { ...field!, notes: notes.filter(Boolean).join('; ') }
}

function resolve<T extends object>(shared: Record<string, T>, one: T | Reference): T {
  return '$ref' in one ? shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)]! : one
}

const KEY_NAMES: Record<string, string> = {
  serverKey: 'server key',
  deviceKey: 'secret key',
  restKey: 'REST key',
  personalToken: 'personal token',
}

function keyTag([scheme, scopes]: [string, readonly string[]]): Html {
  return html`<span class="key ${scheme}">${[KEY_NAMES[scheme] ?? scheme, ...scopes].join(': ')}</span>`
}

/** The text with `like this` as <code>. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** The path with its {placeholders} marked. */
function withMarks(path: string): Html[] {
  return path.split(/(\{\w+\})/).map((part, i) => (i % 2 === 1 ? html`<i>${part}</i>` : html`${part}`))
}
