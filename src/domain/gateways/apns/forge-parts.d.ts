// The parts of node-forge that a server needs. The whole of it takes 2 MB in each thread that has loaded it.
declare module 'node-forge/lib/asn1.js' {
  import { asn1 } from 'node-forge'

  export default asn1
}

declare module 'node-forge/lib/rc2.js' {
  import { rc2 } from 'node-forge'

  export default rc2
}

declare module 'node-forge/lib/util.js' {
  import { util } from 'node-forge'

  export default util
}
