const stops: (() => Promise<void>)[] = []

/** Stops a thing that all test files of a process share, such as a PostgreSQL, when the last one is through. */
export function stopAtEnd(stop: () => Promise<void>): void {
  stops.push(stop)
}

/** Stops the shared things. The runner of the tests calls it. */
export async function stopShared(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()))
}

// A hook of the root suite, because this module is loaded together with the test files. run.ts, which runs many files one after the other, calls
// it itself; so does what is no test.
if (typeof after === 'function' && process.env.MOCHA_SUPERVISED === undefined) after('stop what is shared', stopShared)
