#!/usr/bin/env node
// Like run.js, but always runs the sources. Needs Node 24, which npx and npm scripts find.
import { startFromSources } from './start.js'

await startFromSources()
