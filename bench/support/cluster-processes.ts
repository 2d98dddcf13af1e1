import { readFile } from 'node:fs/promises'
import { readProcesses } from '../../test/e2e/cluster/record.ts'
import type { Slot } from '../../test/e2e/cluster/slot.ts'
import { usageOf } from './process-usage.ts'

/** Milliseconds of CPU since the start, by program: `kube-apiserver`, `etcd`, `kwok`, … The controller and this process are not in it. */
export type ClusterCpu = ReadonlyMap<string, number>

const SERVERS = ['kube-apiserver', 'etcd', 'kube-controller', 'kube-scheduler', 'kwok']

/** What the programs of a control plane have used so far. */
export async function clusterCpu(slot: Slot): Promise<ClusterCpu> {
  const used = await Promise.all(readProcesses(slot).map(({ pid }) => programCpu(pid).catch(() => undefined)))
  return new Map(used.filter((each) => each !== undefined && SERVERS.includes(each[0])) as [string, number][])
}

/** Of all of them together. */
export function cpuBetween(before: ClusterCpu, after: ClusterCpu): number {
  return [...after].reduce((sum, [program, cpu]) => sum + cpu - (before.get(program) ?? 0), 0)
}

/** The kernel keeps 15 characters of a program's name. */
async function programCpu(pid: number): Promise<readonly [program: string, milliseconds: number]> {
  const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim()
  return [name, (await usageOf(pid)).cpu]
}
