/**
 * Says that another transaction was faster, and what this one has read is no longer true. `Database.write` rolls it back and runs its work
 * again.
 */
export class Collision extends Error {}
