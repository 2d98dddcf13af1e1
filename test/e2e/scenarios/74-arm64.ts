/** Images and the agent's folder of the other architecture: their programs run, by an emulator of its processor. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentFolder } from '../../../scripts/image/agent-folder.ts'
import { baseLayer, packageLayer } from '../../../scripts/image/controller-root.ts'
import { unpackedPackage } from '../../../scripts/image/debian-packages.ts'
import { tarOf } from '../../../scripts/image/tar.ts'
import { VERSION } from '../../../src/protocol/version.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { output, run } from '../exec.ts'
import { imageOptions } from '../product/images.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'arm64', nodes: [], run: onArm64 }]

const architecture = 'arm64'
const emulator = './usr/bin/qemu-aarch64-static'

async function onArm64(cluster: Cluster, { part }: Report): Promise<void> {
  const options = await imageOptions(cluster)
  const { root, dist } = options
  const folder = await part('emulator', () => unpackedPackage('qemu-user-static', 'amd64', emulator))
  const place = join(cluster.slot.dir, architecture)
  await part('image of the controller, folder of the agent', async () => {
    const bundle = join(dist, 'nodewave-agent.mjs')
    const agent = await agentFolder({ root, architecture, version: VERSION, bundle })
    const entries = [
      ...[...(await baseLayer(root, architecture)), ...packageLayer(root, { dist, architecture, version: VERSION })],
      ...agent.map((entry) => ({ ...entry, path: `agent/${entry.path}` })),
    ]
    await mkdir(place)
    await writeFile(`${place}.tar`, tarOf(entries))
    await run('tar', ['--extract', '--file', `${place}.tar`, '--directory', place])
  })
  const version = (...program: readonly string[]) => output(join(folder, emulator), ['-L', place, ...program])
  const paths = (...names: readonly string[]) => names.map((name) => join(place, name))
  await part('nodewave --version', async () => {
    const found = await version(...paths('usr/local/bin/node', 'app/bin/nodewave.js'), '--version')
    check('the image of the controller has its program', found === VERSION, found)
  })
  await part('agent --version', async () => {
    const found = await version(...paths('agent/node', 'agent/nodewave-agent.mjs'), '--version')
    check('the folder of the agent has its program', found === VERSION, found)
  })
}
