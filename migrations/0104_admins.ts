import type { Knex } from 'knex'
import { dropTables, run } from './dialect.ts'

export const tables = {
  admins: 'The people who may use the admin interface.',
  admin_roles: 'The role of a person, in an app or in the whole server.',
  admin_sessions: 'Sessions of people who are signed in.',
  admin_tokens: 'Personal tokens.',
  admin_passkeys: 'Passkeys of people.',
  admin_challenges: 'Digests of challenges that were answered: each is answered once.',
  admin_recovery_codes: 'Digests of recovery codes that were not used yet.',
  admin_links:
    'One-time addresses: of the first sign-in (setup), of an invitation, of a forgotten password (reset), of the demo.',
  sign_in_tries: 'Tries to sign in, counted for all processes together. The digest hides who tried and from where.',
  audit:
    'The audit log: only ever added to, and forgotten by age. It keeps names, because the people and apps may be deleted.',
}

export const up = (db: Knex) =>
  run(db, [
    db.schema.createTable('admins', (t) => {
      t.bigIncrements('id')
      // In lower case.
      t.string('email', 254).notNullable().unique()
      t.string('name', 100).notNullable()
      // scrypt with its parameters and salt; null until the person has chosen one.
      t.string('password', 255)
      t.text('sealed_totp')
      // When the second factor was confirmed (ms); until then it is not asked for.
      t.bigInteger('totp_since')
      // The newest time step whose code was used: each code works once.
      t.bigInteger('totp_step').notNullable().defaultTo(0)
      // What passkeys know the person by.
      t.string('handle', 64).notNullable().unique()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('updated_at').notNullable()
    }),

    db.schema.createTable('admin_roles', (t) => {
      t.bigIncrements('id')
      t.bigInteger('admin_id').notNullable().references('admins.id').onDelete('CASCADE')
      // Null: the whole server and every app.
      t.bigInteger('app_id').references('apps.id').onDelete('CASCADE')
      t.string('role', 16).notNullable()
      t.unique(['admin_id', 'app_id'])
      t.index(['app_id'])
    }),

    db.schema.createTable('admin_sessions', (t) => {
      t.bigIncrements('id')
      t.bigInteger('admin_id').notNullable().references('admins.id').onDelete('CASCADE')
      t.string('digest', 64).notNullable().unique()
      t.string('remote', 64).notNullable()
      t.string('agent', 255).notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('seen_at').notNullable()
      // Until when what asks for a fresh sign-in is allowed.
      t.bigInteger('fresh_until').notNullable()
      // At the latest, however much it is used.
      t.bigInteger('expires_at').notNullable()
      t.index(['admin_id'])
      t.index(['expires_at'])
    }),

    db.schema.createTable('admin_tokens', (t) => {
      t.bigIncrements('id')
      t.bigInteger('admin_id').notNullable().references('admins.id').onDelete('CASCADE')
      t.string('name', 100).notNullable()
      t.string('digest', 64).notNullable().unique()
      t.string('hint', 24).notNullable()
      // JSON: names of scopes.
      t.text('scopes').notNullable()
      // Null: every app that the person has a role in.
      t.bigInteger('app_id').references('apps.id').onDelete('CASCADE')
      t.bigInteger('created_at').notNullable()
      t.bigInteger('used_at')
      t.bigInteger('expires_at')
      t.index(['admin_id'])
      t.index(['app_id'])
    }),

    db.schema.createTable('admin_passkeys', (t) => {
      t.bigIncrements('id')
      t.bigInteger('admin_id').notNullable().references('admins.id').onDelete('CASCADE')
      t.string('name', 100).notNullable()
      // base64url, at most 1023 bytes (WebAuthn level 3: Credential ID).
      t.string('credential', 1400).notNullable().unique()
      t.text('public_key').notNullable()
      t.bigInteger('counter').notNullable()
      // JSON: how browsers reach it.
      t.text('transports').notNullable()
      t.bigInteger('created_at').notNullable()
      t.bigInteger('used_at')
      t.index(['admin_id'])
    }),

    db.schema.createTable('admin_challenges', (t) => {
      t.string('digest', 64).primary()
      t.bigInteger('expires_at').notNullable()
      t.index(['expires_at'])
    }),

    db.schema.createTable('admin_recovery_codes', (t) => {
      t.bigIncrements('id')
      t.bigInteger('admin_id').notNullable().references('admins.id').onDelete('CASCADE')
      t.string('digest', 64).notNullable()
      t.index(['admin_id'])
    }),

    db.schema.createTable('admin_links', (t) => {
      t.bigIncrements('id')
      t.string('kind', 16).notNullable()
      // Null for setup.
      t.bigInteger('admin_id').references('admins.id').onDelete('CASCADE')
      t.string('digest', 64).notNullable().unique()
      t.bigInteger('expires_at').notNullable()
      t.index(['admin_id'])
      t.index(['expires_at'])
    }),

    db.schema.createTable('sign_in_tries', (t) => {
      t.string('digest', 64).primary()
      // When all tries are given back (ms), or until when the row counts.
      t.bigInteger('until').notNullable().index('sign_in_tries_until')
    }),

    db.schema.createTable('audit', (t) => {
      t.bigIncrements('id')
      t.bigInteger('happened_at').notNullable()
      // Null: nobody who is known, or the command line.
      t.bigInteger('admin_id')
      t.string('who', 255).notNullable()
      t.string('role', 16)
      t.string('action', 64).notNullable()
      t.bigInteger('app_id')
      t.string('target', 255)
      // JSON without secrets.
      t.text('before')
      t.text('after')
      t.string('remote', 64).notNullable()
      t.index(['happened_at'])
      t.index(['app_id', 'id'])
      t.index(['admin_id', 'id'])
      t.index(['action', 'id'])
    }),
  ])

export const down = (db: Knex) => dropTables(db, tables)
