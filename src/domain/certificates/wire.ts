import { type Base, once } from '../../platform/wiring.ts'
import type { LinksWire } from '../links/wire.ts'
import { certificatesRepository } from './repository.ts'
import { certificatesService } from './service.ts'

/** Certificates of names, from a certificate authority. */
export function wireCertificates({ sql, clock, vault }: Base, { links }: { links: () => LinksWire }) {
  const certificates = once(() =>
    certificatesService({
      repo: certificatesRepository(sql),
      vault,
      clock,
      linkHosts: (most) => links().links().hosts(most),
    }),
  )
  return { certificates }
}
