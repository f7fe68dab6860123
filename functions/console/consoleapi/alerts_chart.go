package consoleapi

import (
	"fmt"

	"gatehouse/shared/alert"
)

// chartDays is the number of days in the chart.
const chartDays = 14

// The dimensions of the chart, which is scaled to the page's width.
const (
	chartHeight = 88 // of the highest bar
	barWidth    = 36
	barStep     = 50 // from the left of one bar to the next
	leastBar    = 3  // lowest height of a bar that is not empty
)

// chart shows the number of alerts on each of the last days.
type chart struct {
	Bars   []bar
	Width  int
	Most   int // alerts on one day
	Total  int
	Grave  int
	Spoken string // the chart in words, for screen readers
}

// bar is one day. The grave alerts are its lower part.
type bar struct {
	alert.Day
	X, Width         int
	Y, Height        int
	GraveY, GraveBar int
	Middle           int // of the bar, for its label
	Label            string
}

// Labelled returns the bars that are labelled with their day. A phone has no
// room for all labels.
func (c chart) Labelled() []bar {
	var some []bar
	for i := len(c.Bars) - 1; i >= 0; i -= 3 {
		some = append(some, c.Bars[i])
	}
	return some
}

func newChart(days []alert.Day) chart {
	c := chart{Width: len(days)*barStep - (barStep - barWidth)}
	busiest := alert.Day{}
	for _, day := range days {
		if day.Total > busiest.Total {
			busiest = day
		}
		c.Total, c.Grave = c.Total+day.Total, c.Grave+day.Grave
	}
	c.Most = busiest.Total
	for i, day := range days {
		c.Bars = append(c.Bars, c.bar(i, day))
	}
	c.Spoken = fmt.Sprintf("%s in the last %d days, %d of them critical or high", counted(c.Total, "alert"), len(days), c.Grave)
	if c.Most > 0 {
		c.Spoken += fmt.Sprintf("; most on %s: %d", busiest.Date.Format("2 January"), busiest.Total)
	}
	return c
}

func (c chart) bar(i int, day alert.Day) bar {
	b := bar{Day: day, X: i * barStep, Width: barWidth, Height: c.height(day.Total), GraveBar: c.height(day.Grave)}
	b.Y, b.GraveY, b.Middle = chartHeight-b.Height, chartHeight-b.GraveBar, b.X+barWidth/2
	b.Label = fmt.Sprintf("%s: %s, %d critical or high", day.Date.Format("Monday 2 January"), counted(day.Total, "alert"), day.Grave)
	return b
}

func (c chart) height(count int) int {
	if count == 0 {
		return 0
	}
	return max(leastBar, count*chartHeight/c.Most)
}

// counted returns a number with its noun.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
