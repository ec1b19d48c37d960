/** The version of the client: that of the server (`test/clients/react-native/package.test.ts`). */
export const VERSION = '0.1.0'
