import '../platform/no-proto.ts'
import { runCommandLine } from './run.ts'

// No top-level await: the bundle is CommonJS.
void runCommandLine(process.argv.slice(2)).then((code) => process.exit(code))
