import type { Content } from './contents.ts'
import { changed, happensToFleet, happensToPool } from './events.ts'
import { helped } from './help.ts'
import { pass, tick } from './passes.ts'
import { rest } from './rest.ts'
import type { FleetOptions, Step } from './steps.ts'
import { World } from './world.ts'

/**
 * Pools with their nodes, agents, pods, Git and operators around the real decision. It collects broken promises of docs/rollouts.md:
 * (1) no more sound nodes get an unproven content than the open waves have; (2) the budgets hold when the controller disturbs a node;
 * (3) a node gets the target, or what the pool has proved; (4) no node gets what failed in its pool; (5) after all help every pool completes
 * a good commit; (6) a pool at rest names its blocker, and has a wake where time helps; (7) a node that is well stays cordoned by us no
 * longer than needed; (8) an assessment that takes over from the last one is the same; (9) a machine reboots when an operator asks for it;
 * (10) nodes of a control plane are changed one at a time.
 */
export class SimulatedFleet {
  readonly #world: World

  constructor(options: FleetOptions) {
    this.#world = new World(options)
    pass(this.#world, 'sound')
  }

  /** Broken promises. */
  get wrong(): readonly string[] {
    return this.#world.wrong
  }

  happens({ what, content, pool, node, passes, fate }: Step): void {
    const world = this.#world
    const name = world.names[pool % world.names.length] ?? ''
    if (what === 'push') world.push(content)
    if (what === 'push to one') world.push(content, name)
    happensToPool(world, name, what)
    happensToFleet(world, what)
    world.nodes = world.nodes.map((each, index) => (index === node % world.nodes.length ? changed(world, each, what) : each))
    pass(world, fate)
    for (let pass = 0; pass < passes; pass++) tick(world, fate)
  }

  rest(): void {
    rest(this.#world)
  }

  helped(content: Content): void {
    helped(this.#world, content)
  }
}
