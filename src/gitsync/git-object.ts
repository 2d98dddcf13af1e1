import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly content: Buffer
}

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }

/** @returns undefined for a delta */
export function typeNamed(type: number): ObjectType | undefined {
  return TYPES[type]
}

export function isObjectType(text: string): text is ObjectType {
  return Object.values<string>(TYPES).includes(text)
}

export function idOf({ type, content }: GitObject): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}
