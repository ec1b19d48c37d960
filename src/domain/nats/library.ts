// The client for NATS. stream.ts loads it when it first connects; a module of its own, so that the bundle has it in one file.
export { jetstream, jetstreamManager } from '@nats-io/jetstream'
export { connect, credsAuthenticator } from '@nats-io/transport-node'
