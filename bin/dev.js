#!/usr/bin/env node
// As run.js, but always from the sources. Needs Node 24 (npx and npm scripts find it).
import { startFromSources } from './start.js'

await startFromSources()
