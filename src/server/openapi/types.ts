import type { JsonSchema } from '../../platform/values/parse.ts'

/** An OpenAPI 3.1 document, as far as we use it. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, JsonSchema>
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    responses: Record<string, OpenApiResponse>
    schemas: Record<string, JsonSchema>
    examples?: Record<string, { value: unknown }>
  }
}

export interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description: string
  deprecated?: true
  security: Record<string, readonly string[]>[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: true; content: Content }
  /** Responses by status, or `default`. */
  responses: Record<string, OpenApiResponse | Reference>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

export interface Header {
  description: string
  required?: true
  schema: JsonSchema
  example?: unknown
}

export interface OpenApiResponse {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Content
}

export interface Reference {
  $ref: string
}

/** Bodies by media type. */
export type Content = Record<
  string,
  { schema: JsonSchema | Reference; example?: unknown; examples?: Record<string, Reference> }
>
