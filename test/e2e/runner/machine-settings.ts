/** Settings of the machine that a careless kubelet or harness changes: read before and after, they must be equal. */
import { existsSync, readFileSync } from 'node:fs'

const watched = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  'net/ipv4/ip_forward',
  'net/netfilter/nf_conntrack_max',
  'fs/inotify/max_user_instances',
]

export type MachineSettings = Readonly<Record<string, string>>

export function readSettings(): MachineSettings {
  const present = watched.filter((key) => existsSync(`/proc/sys/${key}`))
  return Object.fromEntries(present.map((key) => [key, readFileSync(`/proc/sys/${key}`, 'utf8').trim()]))
}

export function settingsChanged(before: MachineSettings, after: MachineSettings): string[] {
  return Object.keys(before)
    .filter((key) => before[key] !== after[key])
    .map((key) => `sysctl ${key} was ${before[key]}, is ${after[key]}`)
}
