/** The dashboard as Grafana imports it. */
import { type Panel, ROWS, type Row } from './panels.ts'

const DATASOURCE = { type: 'prometheus', uid: '$datasource' }
const WIDTH = 24

export function grafanaDashboard(): object {
  return {
    uid: 'nodewave',
    title: 'nodewave',
    description:
      'The fleet, its rollouts and the controller. https://grafana.com/docs/grafana/latest/dashboards/ says how to import it.',
    tags: ['nodewave', 'kubernetes'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [dataSources(), pools()] },
    annotations: { list: [rolloutsAsAnnotations()] },
    panels: placed(),
  }
}

function dataSources(): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }
}

export const POOL_QUERY = 'label_values(nodewave_pool_nodes, pool)'

function pools(): object {
  return {
    ...{ name: 'pool', label: 'Pool', type: 'query', datasource: DATASOURCE, refresh: 2, sort: 1 },
    ...{ multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
    query: { query: POOL_QUERY, refId: 'pools' },
    definition: POOL_QUERY,
  }
}

export const ROLLOUTS_BEGAN = 'changes(nodewave_rollout_start_timestamp_seconds{pool=~"$pool"}[2m]) > 0'

/** A line where a rollout began. */
function rolloutsAsAnnotations(): object {
  return {
    ...{ name: 'Rollouts', datasource: DATASOURCE, enable: true, iconColor: 'blue' },
    ...{ expr: ROLLOUTS_BEGAN, step: '60s', titleFormat: 'rollout of {{pool}}' },
  }
}

/** Rows below one another, panels from left to right. */
function placed(): object[] {
  const panels: object[] = []
  let y = 0
  for (const row of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
      panels: [],
    })
    y = placeRow(row, { panels, top: y + 1 })
  }
  return panels
}

/** @returns where the next row begins */
function placeRow({ height, panels: row }: Row, { panels, top }: { readonly panels: object[]; readonly top: number }): number {
  let [x, y] = [0, top]
  for (const panel of row) {
    if (x + panel.width > WIDTH) [x, y] = [0, y + height]
    panels.push({ id: panels.length + 1, ...panelOf(panel), gridPos: { x, y, w: panel.width, h: height } })
    x += panel.width
  }
  return y + height
}

function panelOf({ title, description, type, unit, stacked, wrongFrom, queries }: Panel): object {
  const isNow = type !== 'timeseries'
  return {
    ...{ type, title, ...(description !== undefined && { description }), datasource: DATASOURCE },
    fieldConfig: {
      defaults: {
        ...(unit !== undefined && { unit }),
        ...(unit === 'percentunit' && { min: 0, max: 1 }),
        ...(stacked === true && { custom: { fillOpacity: 60, stacking: { mode: 'normal' } } }),
        thresholds: { mode: 'absolute', steps: steps(wrongFrom) },
      },
      overrides: [],
    },
    options: OPTIONS[type],
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      ...{ datasource: DATASOURCE, expr, legendFormat: legend === '' ? '__auto' : legend },
      ...(isNow && { instant: true, range: false }),
      ...(type === 'table' && { format: 'table' }),
    })),
  }
}

function steps(wrongFrom: number | undefined): object[] {
  return [{ color: 'green', value: null }, ...(wrongFrom === undefined ? [] : [{ color: 'red', value: wrongFrom }])]
}

const OPTIONS: Readonly<Record<Panel['type'], object>> = {
  stat: { colorMode: 'value', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } },
  bargauge: { orientation: 'horizontal', displayMode: 'basic', reduceOptions: { calcs: ['lastNotNull'] } },
  table: { showHeader: true },
  timeseries: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
}
