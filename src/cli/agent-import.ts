import { join } from 'node:path'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { unreachableNodeApi } from '../agent/adapters/unreachable-node-api.ts'
import { isAlreadySo } from '../agent/inventory/already-so.ts'
import { readInventory } from '../agent/inventory/read-inventory.ts'
import { statePaths } from '../agent/paths.ts'
import type { ServiceManagerName } from '../agent/service-managers.ts'
import { readFile } from '../kube/file-calls.ts'
import type { AgentArguments } from './agent-arguments.ts'
import { jsonText } from './output/json-text.ts'

const NO_API = unreachableNodeApi(new Error('reach the API server: an inventory is made without it'))

/** @returns one JSON document that says what this host runs */
export async function inventoryText(
  { root, logFormat, options }: AgentArguments,
  { node, manager }: { readonly node: string; readonly manager: ServiceManagerName },
): Promise<string> {
  // Without a state directory: with one of its own it would close that to others, and it is to change nothing.
  const ports = createRealPorts({ node: NO_API, root, logFormat, manager })
  const { files, services, packages, kubelet, kernel } = ports
  const { arch, layout, environmentFile, stateDirectory } = options
  const place = { files, arch, manager, paths: statePaths(stateDirectory) }
  const inventory = await readInventory(
    {
      ...{ files, services, packages, kubelet, kernel },
      commandOf: (pid) => commandOf(join(root, 'proc', String(pid), 'cmdline')),
      isSwapOff: () => isAlreadySo({ section: 'swap', value: 'off' }, { host: ports, place }),
    },
    { node, arch, layout, environmentFile },
  )
  return jsonText(inventory)
}

async function commandOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text === '' ? [] : text.replace(/\0$/, '').split('\0')
}
