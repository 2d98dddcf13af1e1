import { STEPS, tellFast } from './fast/story.ts'
import type { Kind } from './tell-stories.ts'

export const fast: Kind = { name: 'fast', steps: STEPS, tell: tellFast }

export const KINDS: readonly Kind[] = [fast]
