/**
 * What a content does to a host that applies it. good: it works. crash: the kubelet dies at start, and the agent puts it
 * back. ruin: putting it back fails too. hang: the work never ends. wilt: it works, and the node goes down a minute later.
 * asks: it works, but the agent finds that it needs a drain. mute: it works, but no pod starts.
 */
export const EFFECTS = ['good', 'asks', 'crash', 'ruin', 'hang', 'wilt'] as const
/**
 * Only a pod that is started shows `mute`: it comes in fleets that prove nodes by one. stale: it works, but the kubelet stays at the version
 * from before. silent: no agent takes it up.
 */
export type Effect = (typeof EFFECTS)[number] | 'mute' | 'stale' | 'silent'

export const BAD_EFFECTS: readonly Effect[] = ['crash', 'ruin', 'hang', 'wilt']

export const WILTS_AFTER = 60_000
