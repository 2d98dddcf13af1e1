import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { fleetControls, poolControls } from '../../../src/controller/controls/controls.ts'
import { parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor, POOL_CONTROLS } from '../../../src/protocol/names.ts'
import { refuses } from './expected.ts'

const names = namesFor()
const toNode = projectNode(names)

/** Any text in any annotation that somebody else may write. */
export function annotations(input: Buffer): void {
  const text = input.toString()
  refuses(['ProtocolError'], () => parseDesiredConfig(text))
  const keys = [...Object.values(names).filter((value) => typeof value === 'string'), ...Object.values(POOL_CONTROLS)]
  const all = Object.fromEntries(keys.map((key) => [key, text]))
  toNode({
    metadata: { name: 'n', annotations: all, labels: { 'nodewave.io/pool': text } },
    status: { nodeInfo: { osImage: text } },
  })
  projectNodePool({ metadata: { name: 'p', annotations: all } })
  poolControls(all)
  fleetControls(all)
}
