/**
 * Simulates the input in a file with the package in a folder; prints CPU and memory. Arguments: folder, file.
 * It is JavaScript, as the package is: stripping types moves the collections of V8.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize } from 'node:v8'

const [folder = '', input = ''] = process.argv.slice(2)
/** @type {import('../../src/simulate/simulate-fleet.ts')} */
const { simulateFleet } = await import(join(folder, 'simulate/simulate-fleet.js'))
/** @type {import('../../src/simulate/simulate-fleet.ts').SimulationInput} */
const asked = deserialize(readFileSync(input))
const { outcome, endsAt } = await simulateFleet(asked)
if (outcome !== 'Completed')
  throw new Error(`simulate ${asked.nodes.length} nodes: ${outcome} after ${(endsAt - asked.startsAt) / 1000} s`)
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }))
