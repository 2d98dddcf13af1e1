/** What of a cluster can still be seen on the machine: after its teardown there must be nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { cgroupRoots, cgroupTree } from './cgroups.ts'
import { isRunning, processId } from './process-id.ts'
import type { Slot } from './slot.ts'

export function tracesOf(slot: Slot): string[] {
  return [...mounts(slot), ...links(slot), ...cgroups(slot), ...processes(slot)]
}

function mounts({ dir }: Slot): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`${dir}/`)).map((line) => `mount ${line.split(' ')[4]}`)
}

/** The bridge, and the nodes' ends of the cables that were plugged into it. */
function links({ bridge, number }: Slot): string[] {
  return readdirSync('/sys/class/net')
    .filter((name) => name === bridge || name.startsWith(`vb-e${number}n`))
    .map((name) => `link ${name}`)
}

function cgroups({ number }: Slot): string[] {
  const paths = cgroupRoots().flatMap(cgroupTree)
  return paths.filter((path) => basename(path).startsWith(`nodewave-e2e-${number}-`)).map((path) => `cgroup ${path}`)
}

function processes({ dir, bridge }: Slot): string[] {
  return readdirSync('/proc').flatMap((name) => {
    const id = /^\d+$/.test(name) ? processId(Number(name)) : undefined
    if (id === undefined || id.pid === process.pid || !isRunning(id)) return []
    const line = commandLine(id.pid)
    return line.includes(`${dir}/`) || line.includes(bridge) ? [`process ${id.pid} ${line.slice(0, 100)}`] : []
  })
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
