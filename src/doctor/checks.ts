import { backupsCheck } from './checks/backups.ts'
import { certificatesCheck } from './checks/certificates.ts'
import { addressesCheck, gatewaysCheck, linksCheck, reachCheck } from './checks/connections.ts'
import { dataDirectoryCheck } from './checks/data-directory.ts'
import {
  databaseCheck,
  integrityCheck,
  masterKeyCheck,
  schemaCheck,
  transactionsCheck,
  walCheck,
} from './checks/database.ts'
import { definitionsCheck } from './checks/definitions.ts'
import { diskCheck } from './checks/disk.ts'
import { importsCheck } from './checks/imports.ts'
import { limitsCheck } from './checks/limits.ts'
import { loadCheck } from './checks/load.ts'
import { nodesCheck } from './checks/nodes.ts'
import { poolerCheck } from './checks/pooler.ts'
import { replicaCheck } from './checks/replica.ts'
import {
  conservationCheck,
  credentialsCheck,
  lanesCheck,
  oldestDueCheck,
  readersCheck,
  serverCheck,
  webhooksCheck,
} from './checks/sending.ts'
import { seriesCheck } from './checks/series.ts'
import { settingsCheck } from './checks/settings.ts'
import { clockCheck, timeZonesCheck } from './checks/time.ts'
import type { Check } from './checks/types.ts'

/** Every check, in the order in which findings are shown. A new one is a file in `checks` and a line here. */
export const CHECKS: readonly Check[] = [
  settingsCheck,
  dataDirectoryCheck,
  diskCheck,
  loadCheck,
  limitsCheck,
  clockCheck,
  timeZonesCheck,
  certificatesCheck,

  databaseCheck,
  poolerCheck,
  replicaCheck,
  schemaCheck,
  masterKeyCheck,
  integrityCheck,
  walCheck,
  transactionsCheck,
  backupsCheck,
  nodesCheck,
  importsCheck,
  definitionsCheck,

  serverCheck,
  lanesCheck,
  oldestDueCheck,
  conservationCheck,
  credentialsCheck,
  readersCheck,
  webhooksCheck,
  seriesCheck,

  reachCheck,
  gatewaysCheck,
  addressesCheck,
  linksCheck,
]
