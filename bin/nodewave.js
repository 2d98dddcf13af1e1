#!/usr/bin/env node
// The installed package runs the built JavaScript; a clone runs the sources as they are.
import { existsSync } from 'node:fs'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `nodewave needs Node 24 or newer; this is ${process.version} (${process.execPath}). In a clone, run it as "npx nodewave".`,
  )
  process.exit(2)
}
const source = new URL('../src/cli/main.ts', import.meta.url)
await import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href)
