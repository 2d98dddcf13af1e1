import { InvalidArgumentError } from 'commander'
import { NoKubeconfigError } from '../kube/kubeconfig.ts'
import type { FleetModel } from '../repo/model.ts'
import type { GivenNode } from '../simulate/given-node.ts'
import { type FakeNodes, inventNodes } from '../simulate/node-objects.ts'
import type { CliIo } from './cli-io.ts'
import { type NodeSource, NoNodesError, readNodes } from './read-nodes.ts'

export interface FakeNodesOption {
  readonly fakeNodes?: FakeNodes
}

/** Beyond that it is no estimate any more but a wait. */
const MOST_NODES = 100_000

/** `40`, or `control-plane=3,workers=200` */
export function fakeNodes(text: string): FakeNodes {
  if (!text.includes('=')) return wholeNumber(text)
  return new Map(
    text.split(',').map((part) => {
      const [, pool = '', count = ''] = /^([^=]+)=(\d+)$/.exec(part) ?? []
      if (pool === '')
        throw new InvalidArgumentError(`expected a pool and its number of nodes, such as workers=200, not "${part}"`)
      return [pool, wholeNumber(count)]
    }),
  )
}

function wholeNumber(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MOST_NODES)
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_NODES}`)
  return count
}

/** In place of a file of nodes: generated ones are in no cluster. */
const NO_FILE = ''

/** Generated nodes, or those of the file or the cluster; and where to look for what else there is to know of them. */
export async function nodesOfChange<Options extends NodeSource & FakeNodesOption>(
  io: CliIo,
  { model, options }: { readonly model: FleetModel; readonly options: Options },
): Promise<{ readonly nodes: readonly GivenNode[]; readonly source: Options }> {
  const { fakeNodes: counts } = options
  if (counts === undefined) return { nodes: await readNodes(io, options).catch(explainNoNodes), source: options }
  return { nodes: inventNodes(model, counts), source: { ...options, nodes: NO_FILE } }
}

function explainNoNodes(error: unknown): never {
  if (error instanceof NoNodesError) throw new NoNodesError(`${error.message}; --fake-nodes generates some`)
  if (!(error instanceof NoKubeconfigError)) throw error
  throw new NoKubeconfigError(`${error.message} or --fake-nodes COUNT`)
}
