import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  acme_accounts: 'Accounts with certificate authorities, by the address of their directory.',
  certificates: 'A host name and its certificate: the one in use, and the order under way.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('acme_accounts', (t) => {
      t.string('directory', 500).primary()
      t.text('url')
      t.text('sealed_key').notNullable()
      // Nothing is ordered before, because the authority said so.
      t.bigInteger('held_until').notNullable().defaultTo(0)
      t.bigInteger('created_at').notNullable()
    }),

    db.schema.createTable('certificates', (t) => {
      t.string('name', 253).primary()
      t.text('chain')
      t.text('sealed_key')
      t.string('issuer', 500)
      t.bigInteger('not_before')
      t.bigInteger('not_after')
      // Counts the certificates of the name, so that listeners notice a new one.
      t.integer('revision').notNullable().defaultTo(0)
      // When to order or to renew.
      t.bigInteger('next_at').notNullable()
      // When to ask the authority for its renewal window.
      t.bigInteger('ask_at')
      t.text('order_url')
      t.text('order_key')
      t.string('challenge_kind', 20)
      t.string('challenge_token', 500)
      t.text('challenge_answer')
      t.integer('attempts').notNullable().defaultTo(0)
      t.text('last_error')
      t.bigInteger('failed_at')
      t.string('owner', 100)
      t.bigInteger('lease_until').notNullable().defaultTo(0)
      t.bigInteger('created_at').notNullable()
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
