import type { Scene } from './scene.ts'
import { blockedDrain } from './scenes/blocked-drain.ts'
import { crashingKubelet } from './scenes/crashing-kubelet.ts'
import { firstRollout } from './scenes/first-rollout.ts'
import { minorUpgrade } from './scenes/minor-upgrade.ts'
import { misspeltFlag } from './scenes/misspelt-flag.ts'
import { promotion } from './scenes/promotion.ts'
import { revert } from './scenes/revert.ts'
import { window } from './scenes/window.ts'

/** In the order in which they are played: each begins where the one before it ended. */
export const scenes: readonly Scene[] = [
  firstRollout,
  minorUpgrade,
  blockedDrain,
  misspeltFlag,
  crashingKubelet,
  revert,
  window,
  promotion,
]
