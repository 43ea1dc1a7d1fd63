"""Colours as eyes see them: contrast, dark pages, and what colour-blind people tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Colour = NDArray[np.float64]

WHITE, DARK_PAGE = "#ffffff", "#12161b"

#: What people without one kind of cones see, in linear light: Machado, Oliveira and Fernandes, “A
#: Physiologically-based Model for Simulation of Color Vision Deficiency”, 2009, of severity 1.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}

#: From linear light to the lightness and two hues of Oklab (Ottosson, 2020), by way of cones.
_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def parsed(text: str) -> Colour:
    """Return red, green and blue of ``#rrggbb``, 0…1."""
    return np.array([int(text[at : at + 2], 16) for at in (1, 3, 5)]) / 255


def on_dark_page(colour: Colour) -> Colour:
    """Return what the filter of dark pages makes of a colour: inverted, hue turned, brighter."""
    turn = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
    return np.clip(1.2 * np.clip(turn @ (1 - colour), 0, 1), 0, 1)


def linear(colour: Colour) -> Colour:
    """Return the light that a colour of sRGB is."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours by WCAG 2, 1…21."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def least_apart(one: Colour, other: Colour) -> float:
    """Return how far apart two colours are in Oklab, to whoever tells them apart least."""
    eyes = [np.eye(3), *map(np.array, DEFICIENCIES.values())]
    return min(
        float(np.linalg.norm(_oklab(eye @ linear(one)) - _oklab(eye @ linear(other))))
        for eye in eyes
    )


def _oklab(light: Colour) -> Colour:
    return np.array(_OKLAB) @ np.cbrt(np.clip(np.array(_CONES) @ np.clip(light, 0, 1), 0, None))
