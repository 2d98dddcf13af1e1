/**
 * What a node may get now, and why. Everything else obeys this: blockers, budgets and drains decide when, never what.
 * target: only a member of an open wave, or who takes the place of one that cannot be paid for; anybody once the rollout is completed.
 * Superseded: it is at work on a commit that the target supersedes. LastResort: it is down for long.
 * stable: a young node that serves nobody yet, and the repair of a broken one outside the open waves.
 */
export type Exposure =
  | { readonly content: 'target'; readonly because: 'OpenWave' | 'Superseded' | 'LastResort' | 'Completed' }
  | { readonly content: 'stable'; readonly because: 'Joining' | 'Repair' }
  | { readonly content: 'none'; readonly because: NoContent }

/**
 * Leaving: it is being deleted. Halted: the pool's rollout failed. InFlight: it ends the work that it has, on other content.
 * NoWaveOpen, LaterWave: its turn has not come.
 */
export type NoContent = 'Unmanaged' | 'Held' | 'Leaving' | 'Halted' | 'NotRendered' | 'InFlight' | 'NoWaveOpen' | 'LaterWave'
