import { minute, noon } from '../builders/instants.ts'
import { nodes } from '../builders/nodes.ts'

export const since = noon - 10 * minute

export const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))
