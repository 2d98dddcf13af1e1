/** Simulates what it finds in a file, by the package in a folder; prints what the process used. Arguments: folder, file. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import type * as Simulator from '../../src/simulate/simulate-fleet.ts'

const [folder = '', input = ''] = process.argv.slice(2)
const { simulateFleet }: typeof Simulator = await import(join(folder, 'simulate/simulate-fleet.js'))
const asked: Simulator.SimulationInput = deserialize(readFileSync(input))
const { outcome, endsAt } = await simulateFleet(asked)
if (outcome !== 'Completed')
  throw new Error(`simulate ${asked.nodes.length} nodes: ${outcome} after ${(endsAt - asked.startsAt) / 1000} s`)
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }))
