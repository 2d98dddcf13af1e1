#!/usr/bin/env node
// kubectl asks a program of this name what may stand after `kubectl nodewave`.
process.argv.splice(2, 0, '__complete')
await import('./nodewave.js')
