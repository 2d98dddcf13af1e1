/** What a person would copy from the example for a bare machine, with the addresses of this cluster. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { kubeletConfig } from '../cluster/kubelet-config.ts'
import { nodePlace } from '../cluster/node-files.ts'
import { bareProfile } from './bare.ts'
import { fleetFiles } from './fleet.ts'

/** File of the fleet of tests → where the page has it. */
const PLACES: Readonly<Record<string, string>> = {
  'release.yaml': 'releases/local.yaml',
  'machines.yaml': 'pools/machines.yaml',
  'machines-config.yaml': 'config/machines.yaml',
  'machines-host.yaml': 'hosts/machine.yaml',
}

/** Writes the pool `machines` into a repository. @param number of the node */
export async function writeMachinePool(cluster: Cluster, folder: string, number: number): Promise<void> {
  const { pods } = nodePlace(cluster.slot, number)
  const { apiVersion: _version, kind: _kind, ...config } = parse(kubeletConfig()) as Record<string, unknown>
  const host = await bareProfile(cluster, { pods })
  const version = versions.olderKubelet
  const files = await fleetFiles(cluster, {
    version,
    others: { machines: { version, layout: 'managed', selector: { pool: 'machines' }, config, host } },
  })
  for (const [file, place] of Object.entries(PLACES)) {
    await mkdir(dirname(join(folder, place)), { recursive: true })
    await writeFile(join(folder, place), files[file] ?? '')
  }
}
