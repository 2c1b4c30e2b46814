package scene

import "math"

// Height is how high a planet is at a latitude and longitude in degrees, in metres;
// below 0 is the sea.
func Height(lat, lon float64) float64 {
	// Noise on a sphere, so that east meets west.
	sinA, cosA := math.Sincos(lat * math.Pi / 180)
	sinO, cosO := math.Sincos(lon * math.Pi / 180)
	x, y, z := 1.7*cosA*cosO+5, 1.7*cosA*sinO+5, 1.7*sinA+5
	sum, size := 0.0, 1.0
	for o := range 7 {
		sum += size * noise3(61+uint32(o), x, y, z)
		size, x, y, z = size*0.52, x*2.03, y*2.03, z*2.03
	}
	ridge := 1 - math.Abs(noise3(71, 3*cosA*cosO+9, 3*cosA*sinO+9, 3*sinA+9))
	sum += 0.1
	if sum < 0 {
		return 4200 * sum
	}
	return 1900*sum + 5200*sum*math.Pow(ridge, 6)
}

// Temperature is that of a day of the year, from 0 to 1, in degrees Celsius: colder to
// the poles, in winter, on mountains, and less changeable at sea.
func Temperature(height, lat, lon, day float64) float64 {
	tilt := math.Cos(2*math.Pi*(day-0.54)) * math.Sin(lat*math.Pi/180) // warmest in the middle of July in the north
	swing := 6.0
	if height > 0 {
		swing = 19
	}
	base := 29*math.Cos(lat*math.Pi/180)*math.Cos(lat*math.Pi/180) + 31*math.Cos(lat*math.Pi/180) - 29
	weather := 3 * noise3(72, lon/23, lat/17, 40*day)
	return base + swing*tilt - 6.2*max(height, 0)/1000 + weather
}
