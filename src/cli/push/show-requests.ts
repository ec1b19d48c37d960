import type { PushPreview } from '../../domain/gateways/gateway.ts'
import type { Platform } from '../../domain/gateways/registry.ts'
import type { Output } from '../output/output.ts'

/** Prints requests to gateways, each with its size. Returns whether one of them is too large. */
export function showRequests(out: Output, requests: readonly (PushPreview & { platform: Platform })[]): boolean {
  for (const [i, { platform, headers, payload, bytes, limit }] of requests.entries()) {
    if (i > 0) out.line()
    const size = `${bytes} of ${limit} bytes`
    out.line(`${platform}  ${bytes > limit ? out.paint('red', `${size}: too large`) : size}`)
    for (const [name, value] of Object.entries(headers)) out.line(`  ${name}: ${value}`)
    out.document(payload)
  }
  return requests.some(({ bytes, limit }) => bytes > limit)
}
