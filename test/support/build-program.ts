/** `node build-program.ts <folder>`: the bundle of the sources in `<folder>/dist`. built-program.ts starts it once in a run. */
import { join } from 'node:path'
import { bundle } from '../../packaging/bundle.ts'
import { compressQuickly } from './compress-quickly.ts'

await bundle(join(process.argv[2]!, 'dist'), { compress: compressQuickly })
