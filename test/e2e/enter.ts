/** Into a node of a cluster: `node test/e2e/enter.ts [SLOT/]n1 [command…]`; a shell without a command. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { enterArgs } from './cluster/machine.ts'
import { readRecord } from './cluster/record.ts'
import { slotAt, slotsRoot } from './cluster/slot.ts'

const [place = '', ...command] = process.argv.slice(2)
const [, number, name] = /^(?:(\d+)\/)?(.+)$/.exec(place) ?? []
const all = existsSync(slotsRoot) ? readdirSync(slotsRoot).map(Number).filter(Boolean) : []
const slots = number === undefined ? all : [Number(number)]
const cgroups = slots
  .flatMap((number) => readRecord(slotAt(number)))
  .filter((made) => made.kind === 'cgroup')
  .map((made) => made.path)
  .filter((path) => path.endsWith(`-${name}`))
if (name === undefined || cgroups.length === 0) {
  console.error(`usage: node test/e2e/enter.ts [SLOT/]NODE [command…]; clusters that live: ${slots.join(', ') || 'none'}`)
  process.exit(2)
}
const env = { TERM: process.env.TERM ?? 'dumb' }
const args = enterArgs(name, cgroups, { command: command.length > 0 ? command : ['bash', '-l'], env })
process.exitCode = spawnSync('nsenter', args, { stdio: 'inherit' }).status ?? 1
