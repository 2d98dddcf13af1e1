import type { ApiObject } from '../api-object.ts'
import type { Json } from '../json.ts'

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number
}

/** How `kubectl get` shows a kind: the server makes the cells. */
export interface TableColumns {
  readonly definitions: readonly TableColumn[]
  readonly cells: (object: ApiObject, now: number) => readonly Json[]
}

export function column(name: string, more: Partial<TableColumn> = {}): TableColumn {
  return { name, type: 'string', format: '', description: '', priority: 0, ...more }
}

export const NAME_COLUMN = column('Name', { format: 'name' })
export const AGE_COLUMN = column('Age')
